import { registerDefinition, registration } from '../definitions/store.ts'
import { operation } from '../wire/operation.ts'

/** Registers the next revision of a family. The container's `command` is the process to run. */
export const registerTaskDefinition = operation(registration, (engine, input) => ({
  taskDefinition: registerDefinition(engine, input),
}))
