throw new Error('broken on import');
