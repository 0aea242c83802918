import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Inputs, Registration } from './mocks.ts'
import type { Build } from './rpc.ts'

export const secretNames = [
  'AI_API_KEY',
  'AI_PROVIDERS',
  'INTERNAL_API_KEY',
  'NOTIFY_CHAT_BOT_TOKEN',
  'NOTIFY_TEAM_WEBHOOK_URL',
  'ORIGIN_SECRET',
  'WALLET_ENCRYPTION_KEY',
] as const

/** The value that a secret has in these tests: nothing else contains it. */
export const secretValue = (name: (typeof secretNames)[number]) => `value-of-secret-${name}`

export interface Declared {
  app: { name: string; stage: string; protect?: boolean; removal?: string }
  builds: Build[]
  registrations: Registration[]
  /** The inputs of every resource of a type, by logical name. @throws Error when there is none */
  all(type: string): Map<string, Inputs>
  /** The inputs of one resource. @throws Error when there is none of that type and name */
  one(type: string, name: string): Inputs
}

/** Settings as an operator would have them when deploying. */
const settings = {
  AGENT_IMAGE: `123456789012.dkr.ecr.eu-west-1.amazonaws.com/agent@sha256:${'0'.repeat(64)}`,
  EMAIL_FROM: 'Platform <mail@example.com>',
  ADMIN_EMAILS: 'one@example.com, two@example.com',
}

/** Runs the program for a stage and returns everything that it would have AWS make. */
export async function declare(
  stage: string,
  environment: Record<string, string> = {},
): Promise<Declared> {
  const scratch = await mkdtemp(join(tmpdir(), 'infra-'))
  try {
    const secrets = secretNames.map((name) => [`SST_SECRET_${name}`, secretValue(name)])
    await promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, 'child.ts'), stage, scratch],
      {
        env: {
          PATH: process.env.PATH,
          ...Object.fromEntries(secrets),
          ...settings,
          ...environment,
        },
        maxBuffer: 2 ** 24,
      },
    )
    const text = await readFile(join(scratch, 'declared.json'), 'utf8')
    return lookups(JSON.parse(text) as Pick<Declared, 'app' | 'builds' | 'registrations'>)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function lookups(data: Pick<Declared, 'app' | 'builds' | 'registrations'>): Declared {
  const all = (type: string) => {
    const found = data.registrations.filter((entry) => entry.type === type)
    // A test over nothing would pass whatever the program declares.
    if (found.length === 0) throw new Error(`nothing of type ${type} is declared`)
    return new Map(found.map(({ name, inputs }) => [name, inputs]))
  }
  return {
    ...data,
    all,
    one(type, name) {
      const inputs = all(type).get(name)
      if (inputs === undefined) throw new Error(`no ${type} is called ${name}`)
      return inputs
    },
  }
}
