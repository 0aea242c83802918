import { backend } from './functions/backend.ts'
import { background } from './functions/background.ts'
import { summarizer } from './functions/summarizer.ts'
import { webMoney } from './functions/web-money.ts'
import { web } from './functions/web.ts'
import type { FunctionSpec } from './types.ts'

const declared = [...web, ...webMoney, ...backend, ...summarizer, ...background] as const

/** The functions with all that is written about them, for types. */
export type DeclaredFunction = (typeof declared)[number]

/** Everything that runs, in the order of the pictures in docs/architecture.md. */
export const functions: readonly FunctionSpec[] = declared
