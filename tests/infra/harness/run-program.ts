import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { functions } from '#shared/manifest/index.ts'
import type { SecretName, SettingName } from '#shared/manifest/index.ts'
import { compileCache } from '../../support/platform/compile-cache.ts'

export const secretNames = [...new Set(functions.flatMap(({ secrets }) => secrets))]

/** Returns the value of a secret in these tests. No other text contains it. */
export const secretValue = (name: SecretName) => `value-of-secret-${name}`

/** The addresses, and the key, that stacks derive if they are not set. */
const derived = new Set<SettingName>([
  'BACKEND_URL',
  'SUMMARIZER_URL',
  'WALLET_KMS_KEY_ID',
  'WEB_URL',
])

/** The settings of the tests' deployment. */
export const settings: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    functions
      .flatMap((spec) => spec.settings)
      .filter((name) => !derived.has(name))
      .map((name) => [name, `value-of-${name}`]),
  ),
  AWS_REGION: 'eu-west-1',
  AGENT_IMAGE: `123456789012.dkr.ecr.eu-west-1.amazonaws.com/agent@sha256:${'0'.repeat(64)}`,
  WORKSPACE_ROOT: '/mnt/workspace',
  EMAIL_IN_DOMAIN: 'agents.example.com',
  EMAIL_FROM: 'Platform <mail@example.com>',
  ADMIN_EMAILS: 'one@example.com, two@example.com',
}

/**
 * Runs the program for a stage, in a process of its own.
 * @param program the file that `bundleProgram` has written
 * @returns its declarations as JSON
 * @throws Error with the program's own message if it refuses
 */
export async function runProgram(
  program: string,
  stage: string,
  environment: Record<string, string>,
): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'infra-'))
  const secrets = secretNames.map((name) => [`SST_SECRET_${name}`, secretValue(name)])
  // Pulumi keeps the stack of every promise, which took a third of the time.
  const child = ['--stack-trace-limit=0', join(import.meta.dirname, 'child.ts')]
  try {
    await promisify(execFile)(process.execPath, [...child, program, stage, scratch], {
      env: {
        PATH: process.env.PATH,
        ...compileCache,
        ...Object.fromEntries(secrets),
        ...settings,
        ...environment,
      },
    })
    return await readFile(join(scratch, 'declared.json'), 'utf8')
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
