import type { TestProject } from 'vitest/node'
import { startSharedStack } from '#tests/support/vitest/global-stack.ts'

/**
 * The stack of the browser's tests. Its model takes ten seconds for a long answer, so that tests can stop, leave and
 * read it in the meantime.
 */
export default (project: TestProject) => startSharedStack(project, { wordMs: 4 })
