import { join } from 'node:path'

import { installOpenclaw } from './openclaw/install.ts'
import { openclawRelease } from './openclaw/release.ts'
import type { StackSettings } from './settings/settings.ts'

/** What agents are on this machine. */
export interface AgentRuntime {
  /** The process of every agent, argument by argument. */
  command: string[]
  /** What it is told beside what every container is told. */
  env: Record<string, string>
  /** The variable that names the folder that outlives it. */
  volumeEnv: string
  /** What stands for it where an image is named: what agents run unless told, and what they can be updated to. */
  images: readonly [string, ...string[]]
}

/** The folder of a data directory that holds what was fetched, which starting empty need not fetch again. */
export const runtimesFolder = 'runtimes'

export const embeddedImages = [
  'agent-platform/embedded:1.0.0',
  'agent-platform/embedded:latest',
] as const

/**
 * Readies what AGENT_RUNTIME names: the gateway in agent/gateway, or OpenClaw behind the process in agent/openclaw/front
 * as in the deployed image. OpenClaw is fetched when it is not there.
 * @throws RuntimeError when it cannot be
 */
export async function prepareRuntime(
  runtime: StackSettings['agentRuntime'],
  options: { root: string; dataDir: string; onProgress?(what: string): void },
): Promise<AgentRuntime> {
  const { root, dataDir, onProgress = () => {} } = options
  const node = (program: string) => [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    join(root, program),
  ]
  if (runtime === 'embedded') {
    const images = embeddedImages
    return { command: node('agent/gateway/main.ts'), env: {}, volumeEnv: 'WORKSPACE_DIR', images }
  }
  const program = await installOpenclaw({ dir: join(dataDir, runtimesFolder), onProgress })
  return {
    command: node('agent/openclaw/front/main.ts'),
    env: { OPENCLAW_PROGRAM: program },
    volumeEnv: 'AGENT_DATA_DIR',
    images: [`agent-platform/openclaw:${openclawRelease}`, 'agent-platform/openclaw:latest'],
  }
}
