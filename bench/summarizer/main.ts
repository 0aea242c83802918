/**
 * Measures the page reader: milliseconds per MB of three real pages relative to jsdom and cheerio in the same run, and the
 * fields that equal jsdom's; the peak of live memory relative to the page; and whether memory stays flat over 10,000
 * fetched pages. Fails if a limit of docs/use/summarizer.md does not hold.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { load } from 'cheerio'
import { JSDOM } from 'jsdom'
import { pageSource } from '#shared/tools/pages/node/source.ts'
import { pageReader, readPage } from '#shared/tools/pages/read.ts'
import { fieldsByJsdom } from '#tests/support/tools/page-fields.ts'
import { realPage, realPages } from '#tests/support/tools/real-pages.ts'
import { median } from '../budgets/measure.ts'

const url = 'https://example.com/docs/page.html'
const bounds = { jsdom: 10, cheerio: 2, memory: 3 }
const pieceLength = 65_536
const requests = 10_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

let good = true
const say = (line: string) => process.stdout.write(`${line}\n`)

/** Reads a page in chunks of bytes, each decoded separately, as after a fetch. */
function read(page: Uint8Array, each = () => {}) {
  const reader = pageReader({ url: new URL(url), isXhtml: false })
  const decoder = new TextDecoder()
  for (let at = 0; at < page.length; at += pieceLength) {
    reader.write(decoder.decode(page.subarray(at, at + pieceLength), { stream: true }))
    each()
  }
  return reader.end()
}

/** Reads the same fields with cheerio, without limits and absolute addresses. */
function readByCheerio(html: string) {
  const $ = load(html)
  const texts = (selectors: string) =>
    $(selectors)
      .map((_, one) => $(one).text().trim())
      .get()
  const attributes = (selectors: string, name: string) =>
    $(selectors)
      .map((_, one) => $(one).attr(name))
      .get()
  const fields = {
    title: $('title').first().text(),
    meta: attributes('meta', 'content'),
    headings: texts('h1, h2, h3'),
    paragraphs: texts('p'),
    links: [attributes('a[href]', 'href'), texts('a[href]')],
    images: attributes('img[src]', 'src'),
  }
  $('script, style, noscript, template').remove()
  return { ...fields, words: $('body').text().split(/\s+/).length }
}

/** Reads the same fields with jsdom, with the same operations on its tree. */
function readByJsdom(html: string) {
  const { window } = new JSDOM(html, { url })
  const { document } = window
  const all = (selectors: string) => [...document.querySelectorAll(selectors)]
  const texts = (selectors: string) => all(selectors).map((one) => one.textContent.trim())
  const attributes = (selectors: string, name: string) =>
    all(selectors).map((one) => one.getAttribute(name))
  const fields = {
    title: texts('title')[0],
    meta: attributes('meta', 'content'),
    headings: texts('h1, h2, h3'),
    paragraphs: texts('p'),
    links: [attributes('a[href]', 'href'), texts('a[href]')],
    images: attributes('img[src]', 'src'),
  }
  for (const one of all('script, style, noscript, template')) one.remove()
  const words = document.body?.textContent.split(/\s+/).length
  window.close()
  return { ...fields, words }
}

async function timed(rounds: number, run: () => unknown): Promise<number> {
  const times: number[] = []
  for (let round = -1; round < rounds; round++) {
    const began = performance.now()
    run()
    // The negative rounds warm up.
    if (round >= 0) times.push(performance.now() - began)
    // jsdom only frees its memory between turns of the event loop.
    await setImmediate()
  }
  return median(times)
}

function judge(holds: boolean): string {
  good &&= holds
  return holds ? '' : '  OVER'
}

/** Returns the peak of live bytes while a page is read, minus those before. Everything else is garbage. */
function liveAtMost(page: Uint8Array): number {
  const live = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = live()
  let most = before
  read(page, () => void (most = Math.max(most, live())))
  return most - before
}

async function comparePages(): Promise<void> {
  say('page          KB    own ms/MB   cheerio   jsdom   x cheerio   x jsdom   fields   live/page')
  for (const name of realPages) {
    const html = realPage(name)
    const page = Buffer.from(html)
    const megabytes = page.length / 1_048_576
    const own = (await timed(15, () => read(page))) / megabytes
    const cheerio = (await timed(5, () => readByCheerio(html))) / megabytes
    const jsdom = (await timed(3, () => readByJsdom(html))) / megabytes
    const isEqual = isDeepStrictEqual(read(page), fieldsByJsdom(html, url))
    const live = liveAtMost(page) / page.length
    const holds =
      jsdom / own >= bounds.jsdom && cheerio / own >= bounds.cheerio && live <= bounds.memory
    const cells = [own, cheerio, jsdom, cheerio / own, jsdom / own].map((cell) => cell.toFixed(1))
    say(
      [name, (megabytes * 1024).toFixed(0), ...cells, isEqual ? 'equal' : 'DIFFER', live.toFixed(2)]
        .map((cell) => cell.padEnd(11))
        .join('') + judge(holds && isEqual),
    )
  }
}

async function fetchMany(): Promise<void> {
  const html = realPage('node-path')
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(html),
  ).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const source = pageSource({ allowed: [host] })
  const live: number[] = []
  const began = performance.now()
  for (let n = 0; n < requests; n++) {
    await readPage(source, `http://${host}/${n}`)
    if ((n + 1) % (requests / 10) !== 0) continue
    collect()
    live.push(process.memoryUsage().heapUsed / 1_048_576)
  }
  const each = (performance.now() - began) / requests
  server.closeAllConnections()
  server.close()
  const [second = 0] = live.slice(1)
  const grown = (live.at(-1) ?? 0) - second
  say(
    `${requests} pages in a row: ${each.toFixed(2)} ms each; live MB after each tenth: ` +
      live.map((one) => one.toFixed(1)).join(' ') +
      judge(grown < 1),
  )
}

await comparePages()
await fetchMany()
process.exitCode = good ? 0 : 1
