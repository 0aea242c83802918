import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { freePorts } from './free-ports.ts'

const root = resolve(import.meta.dirname, '../../..')

interface SpawnOptions {
  dataDir: string
  /** Beside free ports and no rate limits. */
  environment?: Record<string, string>
  /** Default: what `npm run dev` runs. */
  program?: string
}

/** Starts a local stack as a process of its own; its output is piped. */
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
