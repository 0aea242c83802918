/**
 * Measures the console in Chromium with a local stack: the cost of pages on a slow connection and CPU, a log with 10,000
 * lines per second, and the time from registration to an agent's first reply. Fails if a median is over its limit, but not
 * with `--quick`, which runs one round of a few pages. On a shared machine the times mean little. Requests, bytes and steps
 * do not vary, and the report shows the time of the connection that follows from them next to the largest paint.
 */
import { median } from '../budgets/measure.ts'
import { launchStack } from '../stack/launch.ts'
import { launchBrowser, openWindow } from './browser.ts'
import { readFlood } from './flood.ts'
import { lineMs, type Look, look } from './look.ts'
import { newcomer } from './newcomer.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 5
const bounds = { largestPaint: 1800, shift: 0.02, blocking: 100, calls: 6, firstWord: 60_000 }
/** The maximum ratio of the heap at the end to the heap when the page holds its maximum of lines. */
const maxGrowth = 1.2
/** The maximum share of late frames, minus the share on an idle page. */
const maxLate = 0.01

let missed = false
const print = (cells: readonly string[]) =>
  process.stdout.write(
    `${(cells[0] ?? '').padEnd(20)}${cells
      .slice(1)
      .map((cell) => cell.padStart(13))
      .join('')}\n`,
  )
const judged = (text: string, value: number, bound: number) => {
  if (value <= bound) return text
  missed = true
  return `${text} MISS`
}

const stack = await launchStack()
const browser = await launchBrowser()
try {
  const baseURL = `http://localhost:${new URL(stack.web).port}`
  const person = await openWindow(browser, baseURL)
  const { ms: firstWord, agentId } = await newcomer(person)
  const state = await person.storageState()
  await person.close()

  const agent = `/agents/${agentId}`
  const pages = [
    { name: '/login', path: '/login', shows: 'Create an account', signedIn: false },
    { name: '/dashboard', path: '/dashboard', shows: 'Rhythm', signedIn: true },
    { name: '/agents/:id', path: agent, shows: 'History', signedIn: true },
    { name: '…/chat', path: `${agent}/chat`, shows: 'Copy answer', signedIn: true },
    ...(quick
      ? []
      : [
          { name: '…/logs', path: `${agent}/logs`, shows: 'Download', signedIn: true },
          {
            name: '/automation',
            path: '/automation',
            shows: 'Nothing is scheduled',
            signedIn: true,
          },
          { name: '/usage', path: '/usage', shows: 'By key', signedIn: true },
          { name: '/keys', path: '/keys', shows: 'No keys yet', signedIn: true },
        ]),
  ]
  print([
    `medians of ${rounds}`,
    'LCP ms',
    'the line’s',
    'CLS',
    'TBT ms',
    'calls',
    'steps',
    'bytes',
  ])
  const { largestPaint, shift, blocking, calls } = bounds
  print([
    'at most',
    String(largestPaint),
    '',
    String(shift),
    String(blocking),
    String(calls),
    '',
    '',
  ])
  for (const { name, path, shows, signedIn } of pages) {
    const looks: Look[] = []
    for (let round = 0; round < rounds; round++) {
      const context = await openWindow(browser, baseURL, signedIn ? state : undefined)
      looks.push(await look(context, path, shows))
      await context.close()
    }
    const of = (value: (one: Look) => number) => median(looks.map(value))
    const one = {
      paint: of((each) => each.largestPaint),
      shift: of((each) => each.shift),
      blocking: of((each) => each.blocking),
      calls: of((each) => each.calls),
    }
    print([
      name,
      judged(one.paint.toFixed(0), one.paint, largestPaint),
      of(lineMs).toFixed(0),
      judged(one.shift.toFixed(3), one.shift, shift),
      judged(one.blocking.toFixed(0), one.blocking, blocking),
      judged(String(one.calls), one.calls, calls),
      String(of((each) => each.steps)),
      String(of((each) => each.bytes)),
    ])
  }

  const reader = await openWindow(browser, baseURL, state)
  const seconds = quick ? 4 : 10
  const flood = await readFlood(reader, `${agent}/logs`, { rate: 10_000, seconds })
  await reader.close()
  const late = flood.late - flood.lateIdle
  const growth = flood.heapEnd / flood.heapFull
  print(['', '', ''])
  print(['a log of lines', String(flood.lines), `in ${seconds} s`])
  print([
    'frames over 50 ms',
    judged(`${flood.late} of ${flood.frames}`, late, maxLate * flood.frames),
    `idle: ${flood.lateIdle}`,
    `  at most ${maxLate * 100} % more than idle`,
  ])
  print([
    'heap at the end',
    judged(`${(flood.heapEnd / 2 ** 20).toFixed(1)} MB`, growth, maxGrowth),
    `× ${growth.toFixed(2)}`,
    `  at most × ${maxGrowth}`,
  ])
  print([
    'to the first word',
    judged(`${(firstWord / 1000).toFixed(1)} s`, firstWord, bounds.firstWord),
    `  at most ${bounds.firstWord / 1000} s`,
  ])
} finally {
  await browser.close()
  await stack.stop()
}
process.exit(missed && !quick ? 1 : 0)
