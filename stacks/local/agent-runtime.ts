import { join } from 'node:path'
import { buildProgram, gateway } from '../build/programs.ts'
import { installOpenclaw } from './openclaw/install.ts'
import { openclawRelease } from './openclaw/release.ts'
import type { StackSettings } from './settings/settings.ts'

/** The program that agents run on this machine. */
export interface AgentRuntime {
  /** The command of every agent, argument by argument. */
  command: string[]
  /** Environment variables in addition to those that every container gets. */
  env: Record<string, string>
  /** The variable that holds the path of the persistent folder. */
  volumeEnv: string
  /** The image names that select this runtime. The first is the default; an agent can be updated to the others. */
  images: readonly [string, ...string[]]
}

/** The folder in the data directory for downloaded runtimes. `--reset` keeps it. */
export const runtimesFolder = 'runtimes'

export const embeddedImages = [
  'agent-platform/embedded:1.0.0',
  'agent-platform/embedded:latest',
] as const

/**
 * Prepares the runtime that AGENT_RUNTIME names: the gateway in agent/gateway, or OpenClaw behind the process in
 * agent/openclaw/front, as in the deployed image. Downloads OpenClaw if it is missing.
 * @throws RuntimeError if OpenClaw cannot be installed
 */
export async function prepareRuntime(
  runtime: StackSettings['agentRuntime'],
  options: { root: string; dataDir: string; onProgress?(what: string): void },
): Promise<AgentRuntime> {
  const { root, dataDir, onProgress = () => {} } = options
  if (runtime === 'embedded') {
    const command = [process.execPath, await buildProgram(root, gateway)]
    return { command, env: {}, volumeEnv: 'WORKSPACE_DIR', images: embeddedImages }
  }
  const program = await installOpenclaw({ dir: join(dataDir, runtimesFolder), onProgress })
  return {
    command: [
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      join(root, 'agent/openclaw/front/main.ts'),
    ],
    env: { OPENCLAW_PROGRAM: program },
    volumeEnv: 'AGENT_DATA_DIR',
    images: [`agent-platform/openclaw:${openclawRelease}`, 'agent-platform/openclaw:latest'],
  }
}
