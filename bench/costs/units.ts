import { readFileSync, writeFileSync } from 'node:fs'
import type { Units } from './meter/platform.ts'
import type { RouteUnits } from './meter/routes.ts'
import type { TickUnits } from './meter/ticks.ts'

/** What each operation consumes, as it was last noted: DynamoDB's request units, with all that follows from it. */
export interface NotedUnits {
  hot: Record<string, Units>
  routes: Record<string, RouteUnits>
  /** Ticks that find nothing to do, by the names of their schedules. */
  ticks: Record<string, TickUnits>
}

type Metered = Units & Partial<TickUnits>

const file = new URL('units.json', import.meta.url)

/** An operation may grow by so much before the file must say so. */
const mostGrowth = 1.1

/** What is noted in units.json. */
export function readUnits(): NotedUnits {
  return JSON.parse(readFileSync(file, 'utf8')) as NotedUnits
}

/** One operation a line, so that a change reads as what it is. */
export function writeUnits(noted: NotedUnits): void {
  const group = (units: Record<string, object>) =>
    Object.entries(units)
      .map(([name, one]) => `    ${JSON.stringify(name)}: ${JSON.stringify(one)}`)
      .join(',\n')
  const { hot, routes, ticks } = noted
  const text = `{\n  "hot": {\n${group(hot)}\n  },\n  "routes": {\n${group(routes)}\n  },\n  "ticks": {\n${group(ticks)}\n  }\n}\n`
  writeFileSync(file, text)
}

/** What was measured and is more than the file says, or of which it says nothing; in words. */
export function growths(noted: NotedUnits, measured: NotedUnits): string[] {
  const of = (was: Record<string, Metered>, is: Record<string, Metered>) =>
    Object.entries(is).flatMap(([name, now]) => {
      const before = was[name]
      if (before === undefined) return [`${name}: not in bench/costs/units.json`]
      return (['reads', 'writes', 'metrics'] as const)
        .filter((kind) => (now[kind] ?? 0) > (before[kind] ?? 0) * mostGrowth)
        .map((kind) => `${name}: ${now[kind]} ${kind}, noted are ${before[kind]}`)
    })
  const gone = (was: object, is: object) =>
    Object.keys(was)
      .filter((name) => !(name in is))
      .map((name) => `${name}: noted, and there no more`)
  return [
    ...of(noted.hot, measured.hot),
    ...of(noted.routes, measured.routes),
    ...of(noted.ticks, measured.ticks),
    ...gone(noted.hot, measured.hot),
    ...gone(noted.routes, measured.routes),
    ...gone(noted.ticks, measured.ticks),
  ]
}
