import { functions } from '../../shared/manifest/index.ts'

/** What runs by the clock, with how often. */
export const schedules = functions.flatMap((spec) =>
  spec.trigger.kind === 'schedule' ? [{ ...spec, everyMinutes: spec.trigger.everyMinutes }] : [],
)
