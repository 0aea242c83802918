import { registerDefinition, registration } from '../definitions/store.ts'
import { operation } from '../wire/operation.ts'

/** Registers a family's next revision; the container's `command` is the process to run. */
export const registerTaskDefinition = operation(registration, (engine, input) => ({
  taskDefinition: registerDefinition(engine, input),
}))
