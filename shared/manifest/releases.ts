import type { FunctionSpec } from './functions.ts'

/** The alias of each function that APIs, queues, schedules and other functions call. */
export const liveAlias = 'live'

/** How much a new version serves at first, in percent, and how long it is watched before it serves everything. */
export const canary = { percent: 10, minutes: 5 }

/** Of ticks, which come once a minute at most: of a tenth of them none would run within those minutes. */
export const tickCanary = { percent: 50, minutes: canary.minutes }

/**
 * The order in which a release moves functions. Both releases read what the other one wrote, so no order is needed for that;
 * it keeps the mixture small: who reads a message or an answer of a procedure goes before who asks for it, and what
 * people see goes last, when all that it stands on has held.
 */
const waves: readonly ((trigger: FunctionSpec['trigger']) => boolean)[] = [
  ({ kind }) => kind === 'invoke' || kind === 'queue',
  (trigger) =>
    trigger.kind === 'schedule' || (trigger.kind === 'http' && trigger.surface === 'backend'),
  (trigger) => trigger.kind === 'http' && trigger.surface !== 'backend',
]

/** The functions of each wave, in the order of the manifest. */
export function releaseWaves<Spec extends Pick<FunctionSpec, 'trigger'>>(
  functions: readonly Spec[],
): Spec[][] {
  return waves.map((belongs) => functions.filter(({ trigger }) => belongs(trigger)))
}
