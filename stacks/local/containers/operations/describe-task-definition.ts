import * as z from 'zod'
import { findDefinition } from '../definitions/store.ts'
import { operation } from '../wire/operation.ts'

/** Shows a revision, or a family's last one. */
export const describeTaskDefinition = operation(
  z.object({ taskDefinition: z.string() }),
  (engine, input) => ({ taskDefinition: findDefinition(engine.store, input.taskDefinition) }),
)
