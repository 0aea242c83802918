import { join } from 'node:path'
import { program } from './bundle-target.ts'
import { bundleFunctions } from './bundle.ts'
import type { Entry } from './entry.ts'

/** The program that agents on this machine run. */
export const gateway: Entry = { name: 'gateway', entry: 'agent/gateway/main.ts' }

/** Bundles a program for this machine, unless it is up to date. @returns its file */
export async function buildProgram(root: string, { name, entry }: Entry): Promise<string> {
  const outDir = join(root, 'dist/programs', name)
  await bundleFunctions({ functions: [{ name, entry }], root, outDir, carriage: program })
  return join(outDir, name, program.file)
}
