/** Preloaded into a measured process: writes the process's peak memory in KiB to fd 3 when it exits. */
import { writeSync } from 'node:fs';

process.on('exit', () => void writeSync(3, String(process.resourceUsage().maxRSS)));
