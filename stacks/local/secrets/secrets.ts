import { randomBytes } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { newAccessKeyId } from '../clients/credentials.ts'
import { isOpenToOthers } from '../permissions/restrict.ts'

const secretsSchema = z.object({
  INTERNAL_API_KEY: z.string().min(32),
  /** 32 bytes in base64. */
  WALLET_ENCRYPTION_KEY: z.base64().length(44),
  /** Encrypts and derives nothing, so it can be added to a file from an earlier version. */
  ROUTER_SECRET: z.string().min(32).default(randomKey),
  /** The stand-in checkout's secrets, in Stripe's format. They too are added to a file from an earlier version. */
  PAYMENTS_SECRET_KEY: z.string().min(32).default(paymentsKey),
  PAYMENTS_WEBHOOK_SECRET: z.string().min(32).default(webhookSecret),
  /** The access key id of the engines if QUEUE_PORT is set. */
  LOCAL_ACCESS_KEY_ID: z.string().min(32).default(newAccessKeyId),
})

export type Secrets = z.output<typeof secretsSchema>

export interface SecretsFile {
  path: string
  secrets: Secrets
}

const pathIn = (dir: string) => join(dir, 'secrets.json')

/** @throws Error with the remedy if other users of this machine can access the file */
export async function requirePrivateSecrets(dir: string): Promise<void> {
  const path = pathIn(dir)
  if (!(await isOpenToOthers(path))) return
  throw new Error(
    `${path} holds the platform's keys and other users of this machine can access it. Run chmod 600 '${path}'. If others may have read it, run \`npm run dev -- --reset\`, which creates new keys and deletes all state.`,
  )
}

/**
 * Returns the secrets of this machine. Creates them at the first start in a file that only its owner can read.
 * @throws Error that names the file if it is damaged, because new secrets could not decrypt existing data, or if other
 * users can access it
 */
export async function loadSecrets(dir: string): Promise<SecretsFile> {
  const path = pathIn(dir)
  await requirePrivateSecrets(dir)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  const secrets = text === undefined ? newSecrets() : parse(path, text)
  const complete = `${JSON.stringify(secrets, null, 2)}\n`
  if (complete !== text) await replaceFile(path, complete)
  return { path, secrets }
}

function newSecrets(): Secrets {
  return {
    INTERNAL_API_KEY: randomKey(),
    WALLET_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ROUTER_SECRET: randomKey(),
    PAYMENTS_SECRET_KEY: paymentsKey(),
    PAYMENTS_WEBHOOK_SECRET: webhookSecret(),
    LOCAL_ACCESS_KEY_ID: newAccessKeyId(),
  }
}

function paymentsKey(): string {
  return `sk_test_${randomBytes(24).toString('hex')}`
}

function webhookSecret(): string {
  return `whsec_${randomBytes(24).toString('hex')}`
}

function randomKey(): string {
  return randomBytes(32).toString('base64url')
}

/** Replaces a file atomically, even if the process ends in between. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}

function parse(path: string, text: string): Secrets {
  const parsed = secretsSchema.safeParse(tryJson(text))
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => issue.path.join('.') || 'not a JSON object')
    throw new Error(
      `${path} is damaged (${[...new Set(wrong)].join(', ')}). Only its keys can decrypt the stored data, so restore a copy of it. \`npm run dev -- --reset\` deletes all state and creates new keys.`,
    )
  }
  return parsed.data
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
