/** The page of docs/use about a noun with rows of users, and the lines that lead to it. */
import { capital, type Edit } from './draft.ts'
import { an, type Names } from './names.ts'

/** Sentences with the name of the test and the file that prove each, if a test does. */
type Claim = readonly [sentence: string, test?: string, file?: string]

export function pageOfResource(names: Names, about: string): Record<string, string> {
  const { noun, one, many, limit } = names
  const test = `functions/web/${noun}/${noun}.test.ts`
  return pageOf(names, about, [
    [`\`POST /api/${noun}\` creates ${an(one)}.`],
    [
      `\`GET /api/${noun}\` lists them in pages, newest first.`,
      `creates, returns, lists in pages and deletes ${many}`,
      test,
    ],
    [
      `\`PATCH /api/${noun}/:id\` leaves absent fields unchanged.`,
      'changes each field alone, and without a field nothing',
      test,
    ],
    [
      `A user has at most ${limit} ${many}.`,
      'holds the limit under concurrent requests, and makes room by a delete',
      test,
    ],
    [`Other users get 404 for ${an(one)}.`, `returns 404 for ${an(one)} of another user`, test],
    ['The deletion of an account deletes them.', `deletes ${many} with the account`, test],
  ])
}

export function pageOfJob(names: Names, about: string): Record<string, string> {
  const { path, noun, one, many, limit } = names
  const work = `shared/${path}/work`
  const test = `functions/web/${noun}/${noun}.test.ts`
  return pageOf(names, about, [
    [`\`POST /api/${noun}\` requests ${an(one)}.`],
    [
      `\`GET /api/${noun}/:id\` returns its \`state\`: \`queued\`, \`finished\` or \`failed\`.`,
      `carries out the work of ${an(one)}, whose state its user gets`,
      test,
    ],
    [
      `A user has at most ${limit} unfinished ${many}.`,
      `holds the limit of unfinished ${many} under concurrent requests`,
      test,
    ],
    [
      'It has failed after ten attempts.',
      'has failed after the maximum number of attempts',
      `${work}/attempt.test.ts`,
    ],
    [`Other users get 404 for ${an(one)}.`, `returns 404 for ${an(one)} of another user`, test],
    ['It is deleted 30 days after its request.'],
  ])
}

function pageOf(
  { noun, many, plural }: Names,
  about: string,
  claims: readonly Claim[],
): Record<string, string> {
  const proven = claims.filter(([, test]) => test !== undefined)
  const sentences = claims.map((claim) => {
    const [sentence] = claim
    const index = proven.indexOf(claim)
    return index === -1 ? sentence : sentence.replace(/\.$/, `[^${index + 1}].`)
  })
  const notes = proven.map(([, test, file], i) => `[^${i + 1}]: [${test}](../../${file})\n`)
  return {
    [`docs/use/${noun}.md`]: `# ${capital(many)}

After this page you can use ${many}: ${about}.

${sentences.join(' ')} The routes are in the [reference](../api/web.json), and the client has them as \`${plural}\`.

${notes.join('\n')}`,
  }
}

/** Returns the lines of README.md and CHANGELOG.md. */
export function linesOfPage({ noun, many, plural }: Names, about: string): Record<string, Edit> {
  const change = `- ${capital(many)}, ${about}: \`/api/${noun}\`, and \`${plural}\` of the client: docs/use/${noun}.md.`
  return {
    'README.md': before('\n- **Operate:**', `,\n  [${many}](docs/use/${noun}.md)`),
    'CHANGELOG.md': before('- ', `${change}\n`),
  }
}

/** Returns an edit that adds a text before the first occurrence of another one. */
function before(start: string, added: string): Edit {
  return (text) => {
    const at = text.indexOf(start)
    if (at === -1) throw new Error(`a file has changed: it has no ${start}`)
    return `${text.slice(0, at)}${added}${text.slice(at)}`
  }
}
