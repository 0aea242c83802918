import * as z from 'zod'
import { gatewayPort } from '../../../../shared/manifest/index.ts'
import type { Family } from '../family.ts'

/** A string that can be an argument or an environment value of a process. */
export const processString = z.string().regex(/^[^\0]*$/, 'holds a NUL character')

/** Environment entries as the ECS API writes them. */
export const environment = z.array(
  z.object({ name: z.string().regex(/^[^=\0]+$/, 'is no variable name'), value: processString }),
)

/** What a definition names that says nothing of an image: it runs its own command. */
export const familyImage = 'local'

/** The part of an ECS container definition that this engine acts on; the rest is kept and shown. */
export const containerDefinition = z.looseObject({
  name: z.string().min(1).max(255),
  image: z.string().default(familyImage),
  /** The process to run, argument by argument; there is no image to take it from. */
  command: z.array(processString).min(1),
  environment: environment.default([]),
  workingDirectory: processString.optional(),
  portMappings: z.array(z.looseObject({ containerPort: z.int().min(1).max(65535) })).default([]),
  stopTimeout: z.int().min(0).max(120).default(30),
  healthCheck: z
    .looseObject({
      command: z.array(z.string()),
      interval: z.number().positive().default(30),
      timeout: z.number().positive().default(5),
      retries: z.int().positive().default(3),
      startPeriod: z.number().nonnegative().default(0),
    })
    .optional(),
  dockerLabels: z.record(z.string(), z.string()).default({}),
})

export type ContainerDefinition = z.infer<typeof containerDefinition>

/** The label naming the variable that carries the container's port on this machine. */
const portLabel = 'local.port-env'
/** The label naming the variable that carries the path of the container's volume. */
const volumeLabel = 'local.volume-env'

/** The variables by which a container learns its port and the path of its volume. */
export function variablesOf(definition: ContainerDefinition): { port: string; volume: string } {
  return {
    port: definition.dockerLabels[portLabel] ?? 'GATEWAY_PORT',
    volume: definition.dockerLabels[volumeLabel] ?? 'WORKSPACE_DIR',
  }
}

/** How to ask a container over HTTP whether it is well; durations in milliseconds. */
export interface Probe {
  path: string
  intervalMs: number
  timeoutMs: number
  retries: number
  startPeriodMs: number
}

/**
 * The HTTP request that a definition's health check command makes, for instance
 * `["CMD-SHELL", "curl -f http://localhost:18789/readyz"]`. The engine makes it itself, on the port
 * that the task has on this machine. Undefined when there is no such check.
 */
export function probeOf(definition: ContainerDefinition): Probe | undefined {
  const check = definition.healthCheck
  const url = check?.command.join(' ').match(/http:\/\/(?:localhost|127\.0\.0\.1)[^\s'"|;)]*/)?.[0]
  if (!check || url === undefined) return undefined
  const { pathname, search } = new URL(url)
  return {
    path: pathname + search,
    intervalMs: check.interval * 1000,
    timeoutMs: check.timeout * 1000,
    retries: check.retries,
    startPeriodMs: check.startPeriod * 1000,
  }
}

/** A family's container as a container definition. */
export function toContainerDefinition(family: Family): ContainerDefinition {
  const { containerPort = gatewayPort, healthPath = '/readyz' } = family
  return containerDefinition.parse({
    name: family.containerName,
    command: family.command,
    environment: Object.entries(family.env ?? {}).map(([name, value]) => ({ name, value })),
    workingDirectory: family.cwd,
    portMappings: [{ containerPort, protocol: 'tcp' }],
    stopTimeout: family.stopTimeoutSeconds,
    healthCheck:
      healthPath === null
        ? undefined
        : {
            command: [
              'CMD-SHELL',
              `curl -f http://localhost:${containerPort}${healthPath} || exit 1`,
            ],
            interval: 30,
            timeout: 5,
            retries: 5,
            startPeriod: 20,
            ...family.healthCheck,
          },
    dockerLabels: {
      [portLabel]: family.portEnv ?? 'GATEWAY_PORT',
      [volumeLabel]: family.volumeEnv ?? 'WORKSPACE_DIR',
    },
  })
}
