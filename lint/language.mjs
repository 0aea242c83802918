/**
 * Counts phrases that readers must read twice in comments, documents and summaries of operations, and fails if there
 * are more than `language.json` allows. `node lint/language.mjs <path>…` lists the phrases below the paths.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** The binding documents, whose words this check must not change, and generated files. */
const skipped =
  /^docs\/(spec|contract)\.md$|^docs\/(api|reference\/table)\b|\/generated\/|package-lock\.json$|^lint\/language/

/** A comment with this beginning is a clause without a main verb: "What calls are recorded by." */
const opener =
  /^(what|whether|whose|who|whom|how|where|of|as|by|that|which|for what|in what|to what)\b(?! (if|an? example|in rfc))/i

const phrases = [
  ['"where" for "if"', /\bwhere (it|there|one|none|no|nothing|nobody|they|that|this|he|she)\b/gi],
  [
    'a noun left out',
    /\b((is|are|was|were) none|none of|(that|those|such) of|as such|such an? one)\b/gi,
  ],
  ['a relative chain', /\b(by|of|in|from|to|with|for|at|on) (which|whose|whom)\b/gi],
  ['"is to" for "must"', /\b(is|are|was|were) to (?!do\b.*\bwith\b)[a-z]+\b/gi],
  ['"tells of" for "reports"', /\b(tell|tells|told|say|says|said|speaks?) of\b/gi],
  ['a riddle pronoun', /\b(nobody|whoever|whatever|whichever|anew)\b/gi],
]

const all = ['ls-files', '--cached', '--others', '--exclude-standard']
const files = execFileSync('git', [...all, ...process.argv.slice(2)], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(file))
  .filter((file) => /\.(tsx?|mjs|css|md|sh)$/.test(file) && !skipped.test(file))

const found = files.flatMap((file) => {
  const source = readFileSync(file, 'utf8')
  const texts = file.endsWith('.md') ? proseOf(source) : commentsOf(source)
  return texts.flatMap(({ line, text, isComment }) => {
    const names = phrases.flatMap(([name, pattern]) =>
      Array.from(text.matchAll(pattern), () => name),
    )
    if (isComment && opener.test(text)) names.unshift('a clause for a sentence')
    return names.map((name) => ({ file, line, name, text }))
  })
})

/** Returns comments, each joined over its lines, and summaries of operations. */
function commentsOf(source) {
  const texts = []
  let last
  for (const [index, row] of source.split('\n').entries()) {
    const line = index + 1
    const comment = /^\s*(?:\/\/+|\/\*\*?|\*(?!\/)|#(?!!))\s?(.*?)\s*(?:\*\/)?$/.exec(row)?.[1]
    const goesOn =
      last?.end === line - 1 && !/^\s*\/\*/.test(row) && comment?.startsWith('@') !== true
    if (comment !== undefined && goesOn) {
      last.text += ` ${comment}`.replace(/\s+$/, '')
      last.text = last.text.trimStart()
      last.end = line
    } else if (comment !== undefined) {
      last = { line, end: line, text: comment, isComment: true }
      texts.push(last)
    } else {
      const rest =
        /\s\/\/ (.*)$/.exec(row)?.[1] ?? /\bsummary:\s*(['"`].*['"`])/.exec(row)?.[1].slice(1, -1)
      if (rest !== undefined) texts.push({ line, text: rest, isComment: true })
    }
  }
  return texts
}

/** Returns the lines of a document without code and link targets. */
function proseOf(source) {
  let isCode = false
  return source.split('\n').flatMap((row, index) => {
    if (/^\s*```/.test(row)) isCode = !isCode
    const text = row.replace(/`[^`]*`/g, '`').replace(/\]\([^)]*\)/g, ']')
    return isCode ? [] : [{ line: index + 1, text, isComment: false }]
  })
}

const { most } = JSON.parse(readFileSync(new URL('language.json', import.meta.url), 'utf8'))
if (process.argv.length > 2) {
  for (const { file, line, name, text } of found)
    process.stdout.write(`${file}:${line}: ${name}: ${text}\n`)
  process.stdout.write(`${found.length} phrases\n`)
} else if (found.length > most) {
  process.stderr.write(
    `${found.length} phrases that readers must read twice, ${most} allowed. List all: node lint/language.mjs .\n`,
  )
  process.exitCode = 1
} else if (found.length < most)
  process.stdout.write(
    `${found.length} phrases, ${most} allowed: write the lower number into lint/language.json\n`,
  )
