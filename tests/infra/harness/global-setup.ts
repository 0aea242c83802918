import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleProgram } from './bundle.ts'
import { platform } from './paths.ts'
import { runProgram } from './run-program.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The file of the bundled program. */
    program: string
    /** The program's resources for the stage `production` with the usual settings, as JSON. */
    usual: string
    /** The folder of the declarations for other stages and settings, which test files share. */
    declarations: string
  }
}

/** Bundles the program once for all tests, and runs it once for those that read the same declarations. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const program = join(platform, `infra-test-${process.pid}.mjs`)
  await bundleProgram(program)
  const declarations = await mkdtemp(join(tmpdir(), 'infra-declarations-'))
  project.provide('program', program)
  project.provide('declarations', declarations)
  project.provide('usual', await runProgram(program, 'production', {}))
  return async () => {
    await rm(program, { force: true })
    await rm(declarations, { recursive: true, force: true })
  }
}
