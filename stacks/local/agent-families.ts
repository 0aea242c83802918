import {
  containerName,
  familyOf,
  gatewayPort,
  healthCheck,
  planSizes,
} from '../../shared/manifest/index.ts'
import type { AgentRuntime } from './agent-runtime.ts'
import type { Family } from './containers/family.ts'

/** How long a gateway finishes what it is at once it is told to end; it fits into the time in which the stack stops. */
const graceSeconds = 5

/** What has not ended in twice the time that it may take hangs: a repair must not wait for it as long as on ECS. */
const stopTimeoutSeconds = 2 * graceSeconds

/**
 * The task definition family of every plan, each running the runtime in a process of this Node.
 * @param cacheDir keeps compiled code: a gateway then starts in half the time and holds a third less memory
 */
export function agentFamilies(runtime: AgentRuntime, cacheDir: string): Record<string, Family> {
  return Object.fromEntries(
    planSizes.map(({ plan, cpu, memoryMb }) => [
      familyOf(plan),
      {
        command: runtime.command,
        // Its input ends with the stack, however that ends, and an agent without its engine must not live on.
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
