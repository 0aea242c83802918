import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleProgram } from './bundle.ts'
import { platform } from './paths.ts'
import { runProgram } from './run-program.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The file of the bundled program. */
    program: string
    /** The program's resources for the stage `ci` with the usual settings, as JSON. */
    usual: string
  }
}

/** Bundles the program once for all tests, and runs it once for those that read the same declarations. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const program = join(platform, `infra-test-${process.pid}.mjs`)
  await bundleProgram(program)
  project.provide('program', program)
  project.provide('usual', await runProgram(program, 'ci', {}))
  return () => rm(program, { force: true })
}
