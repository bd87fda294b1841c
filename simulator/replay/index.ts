/** Recording a real session, and answering from a recording. */

export { type Replay, type ReplayOptions, startReplay } from './player.ts';
export { type Proxy, type ProxyOptions, startProxy } from './proxy.ts';
export { createRecorder, type Recorder } from './recorder.ts';
export { type Exchange, readScript, type Script } from './script.ts';
export { type Entry, formatBytes, formatTranscript, parseBytes, parseTranscript } from './transcript.ts';
