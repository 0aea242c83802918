import * as z from 'zod'
import { gatewayPort } from '#shared/manifest/index.ts'
import type { Family } from '../family.ts'

/** A string that is valid as a process's argument or environment value. */
export const processString = z.string().regex(/^[^\0]*$/, 'contains a NUL character')

/** Environment entries in the format of the ECS API. */
export const environment = z.array(
  z.object({ name: z.string().regex(/^[^=\0]+$/, 'is not a variable name'), value: processString }),
)

/** The image name of a definition that runs its own command instead of an image. */
export const familyImage = 'local'

/** The part of an ECS container definition that this engine uses. Other fields are stored and returned. */
export const containerDefinition = z.looseObject({
  name: z.string().min(1).max(255),
  image: z.string().default(familyImage),
  /** The command, argument by argument. Required, because there is no image with a default. */
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

/** The label that names the variable for the container's port on this machine. */
const portLabel = 'local.port-env'
/** The label that names the variable for the path of the container's volume. */
const volumeLabel = 'local.volume-env'

/** Returns the names of the variables that hold a container's port and the path of its volume. */
export function variablesOf(definition: ContainerDefinition): { port: string; volume: string } {
  return {
    port: definition.dockerLabels[portLabel] ?? 'GATEWAY_PORT',
    volume: definition.dockerLabels[volumeLabel] ?? 'WORKSPACE_DIR',
  }
}

/** An HTTP health check. Durations in milliseconds. */
export interface Probe {
  path: string
  intervalMs: number
  timeoutMs: number
  retries: number
  startPeriodMs: number
}

/**
 * Parses the HTTP request in a definition's health check command, such as
 * `["CMD-SHELL", "curl -f http://localhost:18789/readyz"]`. The engine sends it itself, to the port that the task has on
 * this machine. Returns undefined if there is no such check.
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

/** Returns a family's container definition. */
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
