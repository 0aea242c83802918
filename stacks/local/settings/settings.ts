import { readDeclared } from '../../../shared/platform/config/settings.ts'
import { explain, settings as declared } from './explain.ts'
import { machineKinds } from './kinds.ts'

export interface StackSettings {
  dataDir: string
  /** Of the stand-in checkout only where one is asked for. */
  ports: { web: number; backend: number; summarizer: number; agents: number; payments?: number }
  agentRuntime: 'embedded' | 'openclaw'
  /** The access key id that the engines demand; absent: a new one at each start. */
  accessKeyId: string | undefined
  /** Engines to use instead of the embedded ones. */
  engines: { dynamodb?: string | undefined; sqs?: string | undefined; ecs?: string | undefined }
  /** No real model provider is named, so the stand-in takes its place. */
  standIn: boolean
  /** No real payment provider is named, and a stand-in is not refused. */
  standInCheckout: boolean
  /** Every variable that has a value, for those functions that are granted it. */
  values: Record<string, string>
}

/** The variables of the ports. */
export const portVariables = {
  web: 'WEB_PORT',
  backend: 'BACKEND_PORT',
  summarizer: 'SUMMARIZER_PORT',
  agents: 'AGENTS_PORT',
  payments: 'PAYMENTS_PORT',
} as const

/** A setting is wrong; the message has a line for each: its name, what it may be and an example, no secret. */
export class SettingsError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SettingsError'
  }
}

/**
 * Reads the environment once. The functions' own settings are checked too, so that a wrong one is known at the start
 * and not at the first request. An empty variable counts as absent.
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
  const taken = new Map<number, string>()
  for (const [surface, variable] of Object.entries(portVariables)) {
    const port = ports[surface as keyof typeof ports]
    if (port === undefined) continue
    const other = taken.get(port)
    if (port !== 0 && other !== undefined)
      throw new SettingsError(`${variable}: ${port} is ${other} already; each needs its own`)
    taken.set(port, variable)
  }
}
