import * as z from 'zod'
import type { MachineKind } from '#shared/manifest/settings/types.ts'
import { kinds } from '#shared/platform/config/kinds.ts'
import { readDeclared } from '#shared/platform/config/settings.ts'
import { explain, settings as declared } from './explain.ts'

export interface StackSettings {
  dataDir: string
  /** `payments` and `mail` are set only if PAYMENTS_PORT and EMAIL_IN_PORT are. */
  ports: {
    web: number
    backend: number
    summarizer: number
    agents: number
    queues: number
    payments?: number
    mail?: number
  }
  agentRuntime: 'embedded' | 'openclaw'
  /** The access key id that the engines require; undefined: a stored one if `ports.queues` is set, else a new one. */
  accessKeyId: string | undefined
  /** Engines that replace the embedded ones. */
  engines: { dynamodb?: string | undefined; sqs?: string | undefined; ecs?: string | undefined }
  /** True if no real model provider is configured. */
  standIn: boolean
  /** True if no real payment provider is configured and PAYMENTS is on. */
  standInCheckout: boolean
  /** All variables that have a value. Functions get those that the manifest grants them. */
  values: Record<string, string>
}

/** The variable of each port. */
export const portVariables = {
  web: 'WEB_PORT',
  backend: 'BACKEND_PORT',
  summarizer: 'SUMMARIZER_PORT',
  agents: 'AGENTS_PORT',
  queues: 'QUEUE_PORT',
  payments: 'PAYMENTS_PORT',
  mail: 'EMAIL_IN_PORT',
} as const

/** Settings are invalid. The message has one line for each: name, valid values and an example, but no secret. */
export class SettingsError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SettingsError'
  }
}

/**
 * Reads the settings from the environment. Checks the functions' settings too, so that an invalid one fails the start and
 * not the first request. An empty variable counts as absent.
 * @throws SettingsError
 */
export function readSettings(environment: Record<string, string | undefined>): StackSettings {
  const values = Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    ),
  )
  const { settings: data, problems } = readDeclared(declared, machineKinds, values)
  if (problems.length > 0)
    throw new SettingsError(
      problems.map((problem) => explain(problem, values[problem.name])).join('\n'),
    )
  const standInCheckout = data.PAYMENTS_SECRET_KEY === undefined && data.PAYMENTS === 'on'
  const ports = {
    web: data.WEB_PORT,
    backend: data.BACKEND_PORT,
    summarizer: data.SUMMARIZER_PORT,
    agents: data.AGENTS_PORT,
    queues: data.QUEUE_PORT,
    ...(values['EMAIL_IN_PORT'] !== undefined && { mail: data.EMAIL_IN_PORT }),
    ...(standInCheckout &&
      values['PAYMENTS_PORT'] !== undefined && { payments: data.PAYMENTS_PORT }),
  }
  refuseSharedPorts(ports)
  return {
    dataDir: data.DATA_DIR,
    ports,
    agentRuntime: data.AGENT_RUNTIME,
    accessKeyId: data.LOCAL_ACCESS_KEY_ID,
    engines: {
      dynamodb: data.DYNAMODB_ENDPOINT,
      sqs: data.SQS_ENDPOINT,
      ecs: data.ECS_ENDPOINT,
    },
    standIn: data.AI_BASE_URL === undefined && data.AI_PROVIDERS === undefined,
    standInCheckout,
    values,
  }
}

function refuseSharedPorts(ports: StackSettings['ports']): void {
  const used = new Map<number, string>()
  for (const [surface, variable] of Object.entries(portVariables)) {
    const port = ports[surface as keyof typeof ports]
    if (port === undefined) continue
    const other = used.get(port)
    if (port !== 0 && other !== undefined)
      throw new SettingsError(`${variable}: ${other} is ${port} too; each needs its own port`)
    used.set(port, variable)
  }
}

/** The parser of each kind of setting on one machine. */
const machineKinds = {
  ...kinds,
  'access-key-id': () => z.string().regex(/^\w{1,128}$/, 'must be letters and digits'),
  port: () => z.coerce.number().int().min(0).max(65_535),
  runtime: () => z.enum(['embedded', 'openclaw']),
} satisfies Record<MachineKind, () => z.ZodType>
