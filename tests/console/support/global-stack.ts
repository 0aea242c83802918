import type { TestProject } from 'vitest/node'
import { startSharedStack } from '../../support/global-stack.ts'

/** The stack of the browser's tests: its model takes ten seconds for a long answer, so that one can be stopped, left and read meanwhile. */
export default (project: TestProject) => startSharedStack(project, { wordMs: 4 })
