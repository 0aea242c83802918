import type { Effect, Outcome, Preset } from './effect.ts'

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Returns what a preset decides about an effect that no rule matches: contract.md 17. */
export function presetOutcome(preset: Preset, effect: Effect): Outcome {
  if (preset === 'open' || !acts(effect)) return 'allow'
  return preset === 'guarded' ? 'ask' : 'deny'
}

/** Returns whether an effect writes, sends or pays. */
function acts(effect: Effect): boolean {
  switch (effect.action) {
    case 'broker.request':
      return [effect.target.method, ...(effect.overrides ?? [])].some(
        (method) => !reading.has(method.toUpperCase()),
      )
    case 'tool.call':
      return !effect.readOnly
    case 'channel.send':
      return !effect.answer
    case 'message.send':
    case 'payment.send':
    case 'schedule.write':
    case 'exec':
      return true
  }
}
