import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldsByJsdom } from '#tests/support/tools/page-fields.ts'
import { realPage, realPages } from '#tests/support/tools/real-pages.ts'
import { pageReader } from './read.ts'

const url = 'https://example.com/docs/page.html'

/** @param length the length of the pieces */
function fieldsOf(html: string, length = html.length || 1) {
  const reader = pageReader({ url: new URL(url), isXhtml: false })
  for (let at = 0; at < html.length; at += length) reader.write(html.slice(at, at + length))
  return reader.end()
}

/** jsdom frees its memory only between turns of the event loop. */
async function expectAsJsdom(html: string): Promise<void> {
  expect(fieldsOf(html)).toEqual(fieldsByJsdom(html, url))
  await setImmediate()
}

describe('the fields of a page equal a browser’s', () => {
  it.each(realPages)('the fields of a page equal a browser’s for a real page: %s', async (name) => {
    await expectAsJsdom(realPage(name))
  })

  it.each([
    ['unclosed paragraphs', '<p>a<p>b<div>c<p>d</div>e<p>f<ul><li>g<p>h<li>i</ul>j'],
    ['a paragraph closed by a block, and its own end tag too late', '<p>a<div>b</div>c</p>d<p>e'],
    [
      'a button and an object around a paragraph',
      '<p>a<button>b<p>c</button>d<object><p>e</object>f',
    ],
    ['headings inside each other', '<h1>a<h2>b</h3>c<h3>d<div>e</h1>f</div><h2><p>g</h2>h'],
    ['definitions', '<dl><dt>a<dd>b<p>c<dt>d<dd><div><dd>e</dl>'],
    ['an unclosed link', '<a href=1>a<a href=2>b<p>c</a>d</p><a href=3><div>e</a>f</div>g'],
    ['a link around blocks', '<a href=1>a<h2>b</h2>c<p>d</p></a>e<a href=2><h3>f</a>g</h3>'],
    [
      'links in cells and objects',
      '<a href=1>a<table><td><a href=2>b</a>c</table>d</a><a href=3><object>e</a>f',
    ],
    ['early inline end tags', '<p><b>a<i>b</b>c</i>d<p>e<b><p>f</b>g<em><a href=1>h</em>i</a>'],
    [
      'tables without their inner tags',
      '<table><tr><td><p>a<td>b<tr><th>c<table><td>d</table>e</table>f<td>g',
    ],
    ['a table in a paragraph', '<!doctype html><p>a<table><td>b</table>c</p>d'],
    ['a table in a paragraph of an old page', '<p>a<table><td>b</table>c</p>d'],
    ['a caption and columns', '<table><caption><p>a<colgroup><col><tr><td>b</caption>c</table>'],
    ['forms inside forms', '<form><p>a<form>b</form><p>c</form>d<div><form><p>e</div></form>f'],
    [
      'a select',
      '<p><select><option>a<p>b<option>c<optgroup>d<input>e</select>f<table><tr><td><select><td>g',
    ],
    ['noscript in the head', '<head><noscript><img src=1></noscript><title>t</title><p>a'],
    [
      'allowed noscript in the head',
      '<head><noscript><style>a</style><meta name=description content=d></noscript><title>t</title></head>b',
    ],
    ['noscript in the body', '<p>a<noscript><p>b <a href=1>c</a> <img src=2></noscript>d'],
    [
      'templates',
      '<template><title>a</title><p>b<template></template><a href=1>c</a></template><p>d',
    ],
    [
      'svg',
      '<svg><title>a</title><a href=1>b</a><style>c</style><desc><p>d</desc><path/><g>e<p>f</svg>g',
    ],
    [
      'math',
      '<p><math><mi>a<p>b</mi><annotation-xml encoding=text/html><p>c</annotation-xml></math>d',
    ],
    [
      'blocks without white space',
      '<title>a<br>b</title><h1>Hello<br>World</h1><p>one</p><p>two</p>three</p>four</br>five<wbr>six&nbsp;seven&shy;eight<hr>nine<b>ten</b><i>eleven</i><ul><li>a<li>b<ol><li>c</ol></ul><dl><dt>d<dd>e</dl><table><caption>f</caption><tr><td>g<td>h<th>i<tr><td>j</table>k<select><option>l<option>m</select>n<pre>o</pre>p<button>q</button>r<a href=1>s<div>t</div>u</a><details><summary>v</summary>w</details><h2>x<div>y</div>z</h2>',
    ],
    ['CDATA', '<p><svg><![CDATA[<p>a]]></svg><![CDATA[b]]>c'],
    [
      'entities',
      '<title>a &amp b &ampc &notit; &#8364; &#x80; &nope; &</title><a href="?a&amp;b&copy=1&lt">x&nbsp;y</a>',
    ],
    [
      'raw texts',
      '<title>a<b></title><textarea><p>b</textarea><xmp><p>c</xmp><iframe><p>d</iframe><noframes><p>e</noframes><script>"<p>f"</script><plaintext></p><p>g',
    ],
    ['a script that opens a comment', '<script><!-- a --></script><p>b<script><!--</script><p>c'],
    ['comments', '<!--><p>a<!-- > --><p>b<!--a--!><p>c<!-x><p>d</ x><p>e<?x ?><p>f<!---->'],
    [
      'duplicate or invalid attributes',
      '<a HREF=1 href=2>a</a><a href = "3"x>b</a><img src=1 SRC=2 alt=\'a"b\'><a/href=4>c</a>',
    ],
    ['base', '<a href=1>a</a><base target=x><base href=../x/ ><base href=/y/><img src=2>'],
    ['an invalid base', '<base href="data:,x"><a href=1>a</a>'],
    [
      'other schemes',
      '<a href="tel:1">a</a><a href="//example.org">b</a><a href="HTTP:c">c</a><a href="http://">d</a><a href>e</a>',
    ],
    ['frames', '<frameset><frame src=1><noframes><p>a</noframes></frameset>'],
    ['text around the body', 'a<html>b<head><title>t</title></head>c</body>d</html><p>e'],
    ['truncated tags', '<p>a<a href="x'],
    ['a zero character', '<p>a\0b</p><a href="a\0b">c</a>'],
    ['nothing', ''],
  ])('the fields of a page equal a browser’s for a page with %s', async (_, html) => {
    await expectAsJsdom(html)
    expect(fieldsOf(html, 1)).toEqual(fieldsOf(html))
  })

  it('the fields of a page equal a browser’s for a page with tags in random order', async () => {
    const names =
      'p p p a h1 h2 div div span b i li ul dl dt dd table tr td section form button br img'
    const tag = fc.constantFrom(...names.split(' '))
    const part = fc.oneof(
      tag.map((name) => `<${name} href=/${name} src=/${name}>`),
      tag.map((name) => `</${name}>`),
      fc.constantFrom(' one ', 'two', ' three'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
        await expectAsJsdom(`<!doctype html>${parts.join('')}`)
      }),
      { numRuns: 300, seed: 1 },
    )
  })
})
