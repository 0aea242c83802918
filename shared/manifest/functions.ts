import { backend } from './functions/backend.ts'
import { background } from './functions/background.ts'
import { summarizer } from './functions/summarizer.ts'
import { web } from './functions/web.ts'
import type { FunctionSpec } from './types.ts'

/** Everything that runs, in the order of the pictures in docs/architecture.md. */
export const functions: readonly FunctionSpec[] = [...web, ...backend, ...summarizer, ...background]
