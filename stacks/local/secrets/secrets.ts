import { randomBytes } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'

const secretsSchema = z.object({
  INTERNAL_API_KEY: z.string().min(32),
  /** 32 bytes in base64. */
  WALLET_ENCRYPTION_KEY: z.base64().length(44),
})

export type Secrets = z.output<typeof secretsSchema>

export interface SecretsFile {
  path: string
  secrets: Secrets
}

/**
 * The secrets of this machine, made at the first start and kept in a file that only its owner can read.
 * @throws Error that names the file when it is damaged: made anew, they would not open what they sealed
 */
export async function loadSecrets(dir: string): Promise<SecretsFile> {
  const path = join(dir, 'secrets.json')
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (text !== undefined) return { path, secrets: parse(path, text) }
  const secrets: Secrets = {
    INTERNAL_API_KEY: randomBytes(32).toString('base64url'),
    WALLET_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  }
  const temporary = `${path}.tmp`
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(secrets, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  return { path, secrets }
}

function parse(path: string, text: string): Secrets {
  const parsed = secretsSchema.safeParse(tryJson(text))
  if (!parsed.success) throw new Error(`${path} is damaged: ${z.prettifyError(parsed.error)}`)
  return parsed.data
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
