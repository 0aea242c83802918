import {
  containerName,
  familyOf,
  gatewayPort,
  healthCheck,
  planSizes,
  stopTimeoutSeconds,
} from '#shared/manifest/index.ts'
import type { AgentRuntime } from './agent-runtime.ts'
import type { Family } from './containers/family.ts'

/**
 * The time that a gateway gets to finish its work after a stop signal; after it, the gateway stores its files. It must fit into the stack's own stop time. */
const graceSeconds = 5

/**
 * Returns a task definition family for every plan. Each runs the agent runtime as a process of this Node.
 * @param cacheDir holds compiled code: with it, a gateway starts in half the time and uses a third less memory
 */
export function agentFamilies(runtime: AgentRuntime, cacheDir: string): Record<string, Family> {
  return Object.fromEntries(
    planSizes.map(({ plan, cpu, memoryMb }) => [
      familyOf(plan),
      {
        command: runtime.command,
        // The agent exits when its stdin closes, which happens no matter how the stack ends: an agent must not outlive
        // its engine.
        env: {
          EXIT_ON_STDIN_EOF: '1',
          SHUTDOWN_GRACE_MS: String(graceSeconds * 1000),
          NODE_COMPILE_CACHE: cacheDir,
          ...runtime.env,
        },
        containerName,
        containerPort: gatewayPort,
        portEnv: 'GATEWAY_PORT',
        healthPath: healthCheck.path,
        healthCheck: {
          interval: healthCheck.intervalSeconds,
          timeout: healthCheck.timeoutSeconds,
          retries: healthCheck.retries,
          startPeriod: healthCheck.startPeriodSeconds,
        },
        volumeEnv: runtime.volumeEnv,
        stopTimeoutSeconds,
        cpu,
        memory: memoryMb,
      },
    ]),
  )
}
