import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { freePorts } from './free-ports.ts'

const root = resolve(import.meta.dirname, '../../..')

interface SpawnOptions {
  dataDir: string
  /** Added to free ports and disabled rate limits. */
  environment?: Record<string, string>
  /** Default: the program of `npm run dev`. */
  program?: string
}

/** Starts a local stack as its own process with piped output. */
export function spawnStack({
  dataDir,
  environment = {},
  program = join(root, 'stacks/local/main.ts'),
}: SpawnOptions) {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      ...freePorts,
      RATE_LIMITS: 'off',
      ...environment,
    },
  })
}
