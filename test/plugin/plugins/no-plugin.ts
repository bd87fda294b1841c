export default { name: 'No Plugin' };
