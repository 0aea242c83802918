import type { FunctionSpec } from './functions.ts'

/** The alias of each function that APIs, queues, schedules and other functions call. */
export const liveAlias = 'live'

/**
 * The share of traffic that a new version gets first, in percent, and the minutes that it is watched before it gets all
 * traffic.
 */
export const canary = { percent: 10, minutes: 5 }

/**
 * The canary of schedules. They run at most once a minute, so with ten percent of the traffic a new version might not
 * run at all in this time.
 */
export const tickCanary = { percent: 50, minutes: canary.minutes }

/**
 * The order of functions in a release. Both releases can read each other's data, so this order is not required for
 * correctness; it limits the combinations of versions: consumers of messages and procedures move before their callers,
 * and functions with users move last, after all functions that they depend on are stable.
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
