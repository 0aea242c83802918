import type { TestProject } from 'vitest/node'
import { runProgram } from './run-program.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** What the program declares for the stage `ci` with the usual settings, as JSON. */
    usual: string
  }
}

/** Most tests look at the same declaration, so it is made once. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('usual', await runProgram('ci', {}))
}
