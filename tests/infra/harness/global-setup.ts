import type { TestProject } from 'vitest/node'
import { runProgram } from './run-program.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The program's resources for the stage `ci` with the usual settings, as JSON. */
    usual: string
  }
}

/** Most tests read the same declaration, so it is created once. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('usual', await runProgram('ci', {}))
}
