/**
 * Calculates the platform's cost on AWS: meters the operations of a local platform, writes their units to units.json, and
 * writes docs/operate/costs.md from them, the manifest and prices.json. `--report` only writes the document, from the stored units.
 * `--check` writes nothing, and fails if an operation consumes over 10 % more than stored, a plan makes a loss, or the
 * document is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { margins } from './agents.ts'
import { measureHot } from './meter/hot.ts'
import { startMeteredStack } from './meter/platform.ts'
import { measureRoutes } from './meter/routes.ts'
import { measureTicks } from './meter/ticks.ts'
import { report, tailMinutes, watchUnits } from './report.ts'
import { growths, type NotedUnits, readUnits, writeUnits } from './units.ts'

const document = new URL('../../docs/operate/costs.md', import.meta.url)
const check = process.argv.includes('--check')

async function meter(): Promise<NotedUnits> {
  useLocalCredentials()
  await using metered = await startMeteredStack()
  const { tableName, endpoints } = metered.stack
  const table = dynamoTable({ tableName, endpoint: endpoints.dynamodb })
  // Measured first, while the table is empty.
  const ticks = await measureTicks(metered)
  const routes = await measureRoutes(metered, table)
  return { ticks, routes, hot: await measureHot(metered, table) }
}

const problems: string[] = []
if (!process.argv.includes('--report')) {
  const measured = await meter()
  if (check) problems.push(...growths(readUnits(), measured))
  else writeUnits(measured)
}
const noted = readUnits()
for (const { plan, price, sold } of margins(watchUnits(noted), tailMinutes))
  if (sold > price)
    problems.push(`${plan.name} earns $${price.toFixed(0)} and costs up to $${sold.toFixed(0)}`)
const text = report(noted)
if (check) {
  if (readFileSync(document, 'utf8') !== text)
    problems.push('docs/operate/costs.md is out of date: run `npm run costs -- --report`')
} else writeFileSync(document, text)
for (const problem of problems) process.stdout.write(`OVER: ${problem}\n`)
process.exitCode = problems.length > 0 ? 1 : 0
