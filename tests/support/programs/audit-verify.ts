import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { startFile } from './start-file.ts'

const root = join(import.meta.dirname, '../../..')

/**
 * Runs the program as `npm run audit:verify` does.
 * @returns its exit code and its output
 */
export async function runAuditVerify(options: string[], environment: NodeJS.ProcessEnv) {
  const { TABLE_NAME: _, ...own } = process.env
  const program = await startFile('ops/audit/main.ts')
  return new Promise<[code: unknown, said: string]>((resolve) =>
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', program, ...options],
      { cwd: root, env: { ...own, ...environment } },
      (error, said) => resolve([error?.code ?? 0, said]),
    ),
  )
}
