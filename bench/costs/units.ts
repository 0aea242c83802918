import { readFileSync, writeFileSync } from 'node:fs'
import type { Units } from './meter/platform.ts'
import type { RouteUnits } from './meter/routes.ts'
import type { TickUnits } from './meter/ticks.ts'

/** The stored consumption of each operation in DynamoDB request units, including all that it triggers. */
export interface NotedUnits {
  hot: Record<string, Units>
  routes: Record<string, RouteUnits>
  /** Idle ticks by schedule. */
  ticks: Record<string, TickUnits>
}

type Metered = Units & Partial<TickUnits>

const file = new URL('units.json', import.meta.url)

/** The growth that is allowed before the file must be updated. */
const maxGrowth = 1.1

/** Reads units.json. */
export function readUnits(): NotedUnits {
  return JSON.parse(readFileSync(file, 'utf8')) as NotedUnits
}

/** Writes units.json with one operation per line, so that diffs are easy to read. */
export function writeUnits(noted: NotedUnits): void {
  const group = (units: Record<string, object>) =>
    Object.entries(units)
      .map(([name, one]) => `    ${JSON.stringify(name)}: ${JSON.stringify(one)}`)
      .join(',\n')
  const { hot, routes, ticks } = noted
  const text = `{\n  "hot": {\n${group(hot)}\n  },\n  "routes": {\n${group(routes)}\n  },\n  "ticks": {\n${group(ticks)}\n  }\n}\n`
  writeFileSync(file, text)
}

/** Returns a text for each operation that consumes more than stored, or is not stored. */
export function growths(noted: NotedUnits, measured: NotedUnits): string[] {
  const of = (was: Record<string, Metered>, is: Record<string, Metered>) =>
    Object.entries(is).flatMap(([name, now]) => {
      const before = was[name]
      if (before === undefined) return [`${name}: not in bench/costs/units.json`]
      return (['reads', 'writes', 'metrics'] as const)
        .filter((kind) => (now[kind] ?? 0) > (before[kind] ?? 0) * maxGrowth)
        .map((kind) => `${name}: ${now[kind]} ${kind}, stored: ${before[kind]}`)
    })
  const gone = (was: object, is: object) =>
    Object.keys(was)
      .filter((name) => !(name in is))
      .map((name) => `${name}: stored, but no longer measured`)
  return [
    ...of(noted.hot, measured.hot),
    ...of(noted.routes, measured.routes),
    ...of(noted.ticks, measured.ticks),
    ...gone(noted.hot, measured.hot),
    ...gone(noted.routes, measured.routes),
    ...gone(noted.ticks, measured.ticks),
  ]
}
