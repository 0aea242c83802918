import { join } from 'node:path'
import {
  containerName,
  familyOf,
  gatewayPort,
  healthCheck,
  planSizes,
  stopTimeoutSeconds,
} from '../manifest/index.ts'
import type { Family } from './containers/family.ts'

/**
 * The task definition family of every plan, each running the embedded gateway in a process of this Node.
 * @param cacheDir keeps compiled code: a gateway then starts in half the time and holds a third less memory
 */
export function agentFamilies(root: string, cacheDir: string): Record<string, Family> {
  const command = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    join(root, 'agent/gateway/main.ts'),
  ]
  return Object.fromEntries(
    planSizes.map(({ plan, cpu, memoryMb }) => [
      familyOf(plan),
      {
        command,
        // Its input ends with the stack, however that ends, and an agent without its engine must not live on. The
        // grace fits into the time in which the whole stack stops.
        env: {
          EXIT_ON_STDIN_EOF: '1',
          SHUTDOWN_GRACE_MS: '5000',
          NODE_COMPILE_CACHE: cacheDir,
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
        volumeEnv: 'WORKSPACE_DIR',
        stopTimeoutSeconds,
        cpu,
        memory: memoryMb,
      },
    ]),
  )
}
