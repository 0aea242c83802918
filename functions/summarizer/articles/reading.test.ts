import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '#shared/platform/config/load.ts'
import { sellPage } from '#shared/tools/page-sales/sell.ts'
import { onWorkerd } from '#tests/support/http/carrier.ts'
import { pagesCaller, type Site, startSite } from '#tests/support/tools/pages.ts'
import { realPage } from '#tests/support/tools/real-pages.ts'

let site: Site
let page: string
let call: ReturnType<typeof pagesCaller>

beforeAll(async () => {
  site = await startSite((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page),
  )
  call = pagesCaller({ allowed: [site.host] })
})
afterAll(() => site.close())

async function read(html: string) {
  page = html
  return call('/api/read', { url: `${site.origin}/dir/page` })
}

const article = (body: string, head = '') =>
  `<!doctype html><html lang="en-GB"><head><title>Tides</title>${head}</head><body>
   <nav><a href="/">Home</a><a href="/all">All</a></nav><article>${body}</article></body></html>`
const markdownOf = async (body: string, head?: string) =>
  (await read(article(body, head))).body.markdown

// Articles are only served by Lambda.
describe.skipIf(onWorkerd)('an article', () => {
  it('excludes the elements around it', async () => {
    const { status, body } = await read(`<!doctype html><html lang="en-GB"><head>
      <title>How tides work | Sea News</title><meta property="og:site_name" content="Sea News">
      <meta name="author" content="Ada  Byron"><base href="/base/">
      <script type="application/ld+json">{"@context":"https://schema.org","@type":"Article"}</script></head><body>
      <header><nav><ul><li><a href="/">Home</a><li><a href="/login">Log in</a></ul></nav></header>
      <div role="dialog">We use cookies. <button>Accept</button></div>
      <main><article><h1>How tides work</h1>
      <p>The <b>Moon</b> pulls the sea,<br>and so does the <a href="sun(1).html">Sun</a>.</p>
      <h2 id="why">Why<a href="#why">#</a></h2><p>Gravity &amp; inertia, in short.</p><script>track()</script>
      <p style="display: none">Hidden words.</p></article>
      <aside class="related sidebar"><a href="/more">More to read</a></aside></main>
      <footer>© Sea News <a href="/imprint">Imprint</a></footer></body></html>`)
    expect([status, body]).toEqual([
      200,
      {
        url: `${site.origin}/dir/page`,
        title: 'How tides work',
        byline: 'Ada Byron',
        siteName: 'Sea News',
        language: 'en-GB',
        markdown: `The **Moon** pulls the sea,  \nand so does the [Sun](${site.origin}/base/sun%281%29.html).\n\n## Why\n\nGravity & inertia, in short.`,
        wordCount: 16,
        fetchedAt: expect.any(String),
      },
    ])
  })

  it.each([
    ['lists', '<ul><li>one<ol><li>two</ol><li>three</ul>', '-   one\n    1.  two\n-   three'],
    [
      'a table with a head',
      '<table><caption>Tides</caption><thead><tr><th>Port<th>Height|m</thead><tr><td>Brest<td><b>7</b><br>8<tr><td><td>2</table>',
      'Tides\n\n| Port | Height\\|m |\n| --- | --- |\n| Brest | **7** 8 |\n|  | 2 |',
    ],
    [
      'a table without a head',
      '<table><tr><td>a<td>b<tr><td colspan=2>c</table>',
      '|  |  |\n| --- | --- |\n| a | b |\n| c | |',
    ],
    [
      'a layout table',
      '<table><tr><td><p>one</p><p>two</p><tr><td>three</table>',
      'one\n\ntwo\n\nthree',
    ],
    [
      'code',
      '<pre><code class="hljs language-ts">if (a &lt; b) {\n  `c`\n}\n</code></pre><p>and <code>x_y</code>',
      '```ts\nif (a < b) {\n  `c`\n}\n```\n\nand `x_y`',
    ],
    [
      'code with a fence',
      '<div class="highlight-source-md"><pre>```\nline<br>next\n```</pre></div>',
      '````md\n```\nline\nnext\n```\n````',
    ],
    ['quotations and rules', '<blockquote><p>one</blockquote><hr><p>two', '> one\n\n---\n\ntwo'],
    [
      'a link around blocks and an image',
      '<a href="x"><h3>one</h3><p>two</p></a><p><img alt="A [b]" src="/i (1).png"></p>',
      '[one two](ORIGIN/dir/x)\n\n![A \\[b\\]](ORIGIN/i%20%281%29.png)',
    ],
    [
      'script and data URLs',
      '<p><a href="javascript:alert(1)">one</a> <a href="java\nscript:x()">two</a> <a href="data:text/html,x">three</a> <a href=" vbscript:x">four</a> <img alt=five src="data:image/png;base64,AA"><a href="mailto:a@example.com">six</a> <a href="//user:secret@example.com/">seven</a>',
      'one two three four [six](mailto:a@example.com) [seven](http://example.com/)',
    ],
    [
      'URLs with delimiters',
      '<p><a href="mailto:a <img src=x onerror=alert`1`> \\)">one</a> <a href="https://example.com/?a=\\">two</a>',
      '[one](mailto:a%20%3Cimg%20src=x%20onerror=alert`1`%3E%20%5C%29) [two](https://example.com/?a=%5C)',
    ],
    [
      'text that resembles markup',
      '<p>&lt;script&gt;alert(1)&lt;/script&gt; [a](javascript:b) &amp;lt;i&amp;gt; 1 &lt; 2 &amp; 3 *c*',
      '\\<script>alert(1)\\</script> \\[a\\](javascript:b) \\&lt;i\\&gt; 1 < 2 & 3 \\*c\\*',
    ],
    [
      'scripts, controls and styles',
      '<p onclick="x()">one<script>two()</script><style>p{}</style><iframe src=/x></iframe><svg><text>three</text></svg><form><input value=four><button>five</button></form>',
      'one',
    ],
  ])('keeps the format of %s', async (_, body, expected) => {
    expect(await markdownOf(`<p>First.</p>${body}`)).toBe(
      `First.\n\n${expected.replaceAll('ORIGIN', site.origin)}`,
    )
  })

  it.each([
    ['nothing', ''],
    ['a form', '<title>Log in</title><h1>Log in</h1><form><label>Email<input></label></form>'],
    [
      'only links',
      `<title>All</title><ul>${'<li><a href="/x">A place to go to</a>'.repeat(50)}</ul>`,
    ],
    [
      'content from scripts only',
      '<div id=root></div><noscript>Enable JavaScript to run this</noscript>',
    ],
  ])('is not found in a page with %s: 404', async (_, html) => {
    const { status, body } = await read(html)
    expect([status, body]).toEqual([404, { error: 'The page has no article' }])
  })

  it('is found in a plain page of a sentence or two', async () => {
    const { status, body } = await read(
      '<title>Example</title><div><h1>Example</h1><p>This domain is for use in documentation, without permission.<p><a href="/more">Learn more</a></div>',
    )
    expect([status, body.title, body.byline, body.siteName, body.language]).toEqual([
      200,
      'Example',
      null,
      null,
      null,
    ])
  })

  it('is paid like other pages', async () => {
    const config = loadConfig({})
    const selling = pagesCaller({
      allowed: [],
      sell: (ctx, order) =>
        sellPage({ ...ctx, table: undefined as never, config, price: '0.002' }, order),
    })
    const { status, body } = await selling('/api/read', { url: 'http://127.0.0.1/' })
    expect([status, body.missing]).toEqual([503, ['X402_PAY_TO', 'X402_FACILITATOR_URL']])
  })

  it('is read from a real page', async () => {
    const { status, body } = await read(realPage('node-path'))
    expect([status, body.title]).toEqual([200, 'Path | Node.js v20.20.2 Documentation'])
    const fences = /```(?:js|mjs|cjs)\n/
    expect(body.markdown).toMatch(fences)
    expect(body.markdown).not.toMatch(/<script|javascript:|\n{3}/)
  })

  it.each([
    ['blocks within each other', `${'<div>'.repeat(1900)}words, and words`],
    ['inline elements within each other', `${'<b><i>'.repeat(900)}words, and words`],
    ['siblings without an end', '<p>words, and more of them'.repeat(5000)],
    ['an attribute of 4 MB', `<p class="${'a '.repeat(2_000_000)}">words, and words`],
    [
      'many attributes',
      `<p ${Array.from({ length: 20_000 }, (_, i) => `a${i}=1`).join(' ')}>words`,
    ],
    ['blanks', `<p>a${' '.repeat(4_000_000)}b`],
    ['breaks', '<br>'.repeat(45_000)],
    ['cells', `<table><tr>${'<td colspan=1000>x'.repeat(3000)}</table>`],
    ['tables within each other', '<table><tr><td>words, words '.repeat(600)],
    ['end tags of nothing', `${'<b>'.repeat(1900)}${'</i>'.repeat(200_000)}`],
  ])(
    'an article of 5 MB or less is returned, or times out: %s',
    async (_, html) => {
      const { status, body } = await read(`<title>t</title><article>${html}`)
      if (status !== 404) expect([200, 500]).toContain(status)
      expect(body.error ?? '').not.toMatch(/internal/i)
    },
    30_000,
  )

  it.each([
    ['too many elements', '<b>x</b>'.repeat(51_000), /more than 50000 elements/],
    ['too many open elements', '<b>'.repeat(2100), /more than 2000 elements within/],
  ])('is rejected for %s', async (_, html, reason) => {
    const { status, body } = await read(html)
    expect(status).toBe(500)
    expect(body.error).toMatch(reason)
  })
})
