import * as z from 'zod'
import { findDefinition } from '../definitions/store.ts'
import { operation } from '../wire/operation.ts'

/** Returns a revision, or the last one of a family. */
export const describeTaskDefinition = operation(
  z.object({ taskDefinition: z.string() }),
  (engine, input) => ({ taskDefinition: findDefinition(engine.store, input.taskDefinition) }),
)
