/** What the form shows of a config, as text; empty for what is not set. */
export interface Texts {
  systemPrompt: string
  model: string
  /** A number, or `never`. */
  sleepAfterMinutes: string
}

export interface Change {
  name: keyof Texts
  from: string
  to: string
}

const names = ['systemPrompt', 'model', 'sleepAfterMinutes'] as const satisfies (keyof Texts)[]

/** What stands for an agent that does not sleep. */
export const never = 'never'

/** A config as the form shows it. @param resting minutes after which the agent sleeps where its config has none; null for never */
export function textsOf(config: Record<string, unknown>, resting: number | null): Texts {
  const [systemPrompt = '', model = '', sleepAfterMinutes = ''] = names.map((name) => {
    const value = config[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  })
  return { systemPrompt, model, sleepAfterMinutes: sleepAfterMinutes || String(resting ?? never) }
}

/** What differs, in the form's order. */
export function changesOf(before: Texts, after: Texts): Change[] {
  return names
    .map((name) => ({ name, from: before[name], to: after[name] }))
    .filter(({ name, from, to }) => valueOf(name, from) !== valueOf(name, to))
}

/** Of one's own changes, those of what has another value now than when one began. */
export function conflictsOf(changes: readonly Change[], base: Texts, now: Texts): Change[] {
  return changes.filter(({ name, to }) => now[name] !== base[name] && now[name] !== to)
}

/** The changes as the platform takes them: what does not change is not named, so that it stays as others saved it. */
export function changeOf(changes: readonly Change[]): Record<string, string | number | null> {
  return Object.fromEntries(changes.map(({ name, to }) => [name, valueOf(name, to)]))
}

function valueOf(name: keyof Texts, text: string): string | number | null {
  const value = name === 'systemPrompt' ? text : text.trim()
  if (name === 'sleepAfterMinutes') return value === never ? null : Number(value || Number.NaN)
  return value === '' ? null : value
}

interface Line {
  id: string
  mark: '-' | '+'
  text: string
}

/** A text's lines with what became of each: `-` went, `+` came. Between the first and the last that differ, all do. */
export function linesOf(from: string, to: string): Line[] {
  const [old, young] = [from.split('\n'), to.split('\n')]
  let first = 0
  while (first < Math.min(old.length, young.length) && old[first] === young[first]) first++
  let last = 0
  const most = Math.min(old.length, young.length) - first
  while (last < most && old.at(-1 - last) === young.at(-1 - last)) last++
  return [
    ...old
      .slice(first, old.length - last)
      .map((text, i) => ({ id: `- ${i}`, mark: '-' as const, text })),
    ...young
      .slice(first, young.length - last)
      .map((text, i) => ({ id: `+ ${i}`, mark: '+' as const, text })),
  ]
}
