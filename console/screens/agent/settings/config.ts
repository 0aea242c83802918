/** The config as form texts. Unset fields are empty. */
export interface Texts {
  systemPrompt: string
  model: string
  /** A number, or `never`. */
  sleepAfterMinutes: string
  /** USD. Empty without a cap. */
  spendCapUsd: string
  spendCapUsdPerDay: string
}

export interface Change {
  name: keyof Texts
  from: string
  to: string
}

const caps = ['spendCapUsd', 'spendCapUsdPerDay'] as const satisfies (keyof Texts)[]

const names = [
  'systemPrompt',
  'model',
  'sleepAfterMinutes',
  ...caps,
] as const satisfies (keyof Texts)[]

/** The value for an agent that does not sleep. */
export const never = 'never'

/**
 * Returns a config as form texts.
 * @param resting the default sleep timeout in minutes; null for never
 */
export function textsOf(config: Record<string, unknown>, resting: number | null): Texts {
  const texts = Object.fromEntries(
    names.map((name) => {
      const value = config[name]
      return [name, typeof value === 'string' || typeof value === 'number' ? String(value) : '']
    }),
  ) as Record<keyof Texts, string>
  return { ...texts, sleepAfterMinutes: texts.sleepAfterMinutes || String(resting ?? never) }
}

/** Returns the differences, in the form's order. */
export function changesOf(before: Texts, after: Texts): Change[] {
  return names
    .map((name) => ({ name, from: before[name], to: after[name] }))
    .filter(({ name, from, to }) => valueOf(name, from) !== valueOf(name, to))
}

/** Returns the changes of fields that others have changed since the form was loaded. */
export function conflictsOf(changes: readonly Change[], base: Texts, now: Texts): Change[] {
  return changes.filter(({ name, to }) => now[name] !== base[name] && now[name] !== to)
}

/** Returns the changes as the request's fields. Unchanged fields are left out, so that others' changes to them stay. */
export function changeOf(changes: readonly Change[]): Record<string, string | number | null> {
  return Object.fromEntries(changes.map(({ name, to }) => [name, valueOf(name, to)]))
}

function valueOf(name: keyof Texts, text: string): string | number | null {
  const value = name === 'systemPrompt' ? text : text.trim()
  if (name === 'sleepAfterMinutes') return value === never ? null : Number(value || Number.NaN)
  if (value === '') return null
  return isCap(name) ? Number(value) : value
}

/** Returns whether a field is a spend cap. A running agent restarts for changes of all other fields. */
export function isCap(name: keyof Texts): boolean {
  return caps.some((cap) => cap === name)
}

interface Line {
  id: string
  mark: '-' | '+'
  text: string
}

/**
 * Returns a line diff: `-` removed, `+` added. All lines between the first and the last difference count as changed.
 */
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
