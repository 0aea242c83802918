import { appendFile, chmod, mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Explorer } from './explorer.ts'
import { type GitCommand, gitIn } from './git.ts'

const numbered = Array.from({ length: 60 }, (_, i) => `function f${i}() {\n  return ${i}\n}\n\n`)

/** Initializes a repository in an explorer's workspace, with the files of a first commit. */
export async function beginRepository(
  { put }: Explorer,
  git: GitCommand,
  files: Record<string, string> = { 'a.txt': 'one\ntwo\nthree\n' },
): Promise<void> {
  await git('init', '-q', '-b', 'main')
  for (const [path, content] of Object.entries(files)) await put(path, content)
  await git('add', '-A')
  await git('commit', '-qm', 'first\n\nwith a body')
}

/** Creates repositories of all kinds, by name, each in an empty workspace. */
export function repositoriesIn(explorer: Explorer, git: GitCommand) {
  const begin = (files?: Record<string, string>) => beginRepository(explorer, git, files)
  const at = (path: string) => join(explorer.root, path)
  return {
    'with nothing in it': () => git('init', '-q', '-b', 'main'),
    'before its first commit': async () => {
      await git('init', '-q', '-b', 'trunk')
      await explorer.put('staged', 'x\n')
      await git('add', '-A')
      await explorer.put('untracked', 'x\n')
    },
    'with nothing changed': () => begin(),
    'with files changed, added, deleted, staged and both': async () => {
      await begin({ a: 'one\ntwo\n', b: 'x\n', c: 'x\n', d: 'x\n', e: 'no end', 'z/deep/f': 'x\n' })
      await explorer.put('a', 'one\n2\n')
      await git('rm', '-q', 'b')
      await rm(at('c'))
      await explorer.put('new', 'x\n')
      await explorer.put('e', 'no end, again')
      await git('add', 'a', 'new', 'e')
      await explorer.put('a', 'one\n2\n3\n')
      await rm(at('new'))
      await explorer.put('d', '')
      await explorer.put('empty', '')
      await git('add', 'empty')
      await explorer.put('untracked/one', 'x')
      await explorer.put('untracked/two/three', 'x')
      await mkdir(at('nothing-in-it'))
    },
    'with modes, links and kinds changed': async () => {
      await begin({ run: 'x\n', both: 'x\n', becomes: 'target\n', folder: 'x\n' })
      await symlink('run', at('link'))
      await git('add', '-A')
      await git('commit', '-qm', 'link')
      await chmod(at('run'), 0o755)
      await explorer.put('both', 'y\n')
      await chmod(at('both'), 0o755)
      await rm(at('link'))
      await symlink('elsewhere', at('link'))
      await rm(at('becomes'))
      await symlink('run', at('becomes'))
      await rm(at('folder'))
      await explorer.put('folder/file', 'x\n')
      await symlink('/etc', at('new-link'))
    },
    'with long files changed in many places': async () => {
      await begin({ code: numbered.join(''), ends: 'a\nb\nc' })
      const changed = numbered
        .filter((_, i) => i !== 7)
        .map((text, i) => (i % 13 === 0 ? `${text}// new\n` : text))
      changed.splice(30, 0, 'function inserted() {\n  return 1\n}\n\n')
      await explorer.put('code', changed.join(''))
      await explorer.put('ends', 'a\nb\nc\n')
    },
    'with binary files': async () => {
      await begin({ text: 'x\n' })
      await explorer.put('binary', Buffer.from([0, 1, 2]))
      await git('add', '-A')
      await explorer.put('binary', Buffer.from([0, 1, 3]))
      await explorer.put('text', Buffer.from([0x61, 0, 0x62]))
    },
    'with names that must be quoted': async () => {
      const names = [
        '-rf',
        'a b',
        'new\nline',
        'qu"ote',
        'back\\slash',
        'é',
        '漢字',
        '\u{1f600}',
        'tab\there',
        '$(id)',
        "it's",
        ' lead',
        'trail ',
        '~',
      ]
      await begin(Object.fromEntries(names.map((name) => [name, 'x\n'])))
      for (const name of names) await explorer.put(name, 'y\n')
      for (const name of names.slice(0, 5)) await git('add', '--', `:(literal)${name}`)
      for (const name of names) await explorer.put(`new ${name}`, 'x\n')
    },
    'with rules that leave files out': async () => {
      await begin({ 'kept.log': 'x\n', 'out/tracked': 'x\n' })
      await explorer.put(
        '.gitignore',
        '*.log\n/out/\n!keep.log\nlib/*\n!lib/in\n# no\n\\#yes\ntrail \n',
      )
      await explorer.put('sub/.gitignore', '!wanted.log\n/only-here\n**/deep/x\n')
      for (const name of [
        'x.log',
        'keep.log',
        'out/new',
        'lib/a',
        'lib/in',
        '#yes',
        'sub/wanted.log',
        'sub/other.log',
        'sub/only-here',
        'only-here',
        'sub/a/b/deep/x',
        'sub/a/b/deep/y',
        'excluded',
      ])
        await explorer.put(name, 'x\n')
      await appendFile(at('.git/info/exclude'), 'excluded\n')
      await explorer.put('kept.log', 'changed\n')
      await explorer.put('out/tracked', 'changed\n')
    },
    'in the middle of a merge with conflicts': async () => {
      await begin({ both: 'one\n', theirs: 'one\n', ours: 'one\n', fine: 'one\n' })
      await git('checkout', '-qb', 'other')
      await explorer.put('both', 'two\n')
      await rm(at('theirs'))
      await explorer.put('ours', 'two\n')
      await explorer.put('added', 'two\n')
      await explorer.put('fine', 'two\n')
      await git('add', '-A')
      await git('commit', '-qm', 'other')
      await git('checkout', '-q', 'main')
      await explorer.put('both', 'three\n')
      await explorer.put('theirs', 'three\n')
      await rm(at('ours'))
      await explorer.put('added', 'three\n')
      await git('add', '-A')
      await git('commit', '-qm', 'main')
      await git('merge', '-q', 'other').catch(() => {})
    },
    'with merges in its history': async () => {
      await begin()
      for (const [i, branch] of ['one', 'two', 'three'].entries()) {
        const time = {
          GIT_AUTHOR_DATE: `${1_600_000_000 + i * 40_000_000} +0200`,
          GIT_COMMITTER_DATE: `${1_600_000_000 + i * 7} +0000`,
        }
        const then = gitIn(explorer.root, time)
        await git('checkout', '-qb', branch, 'main')
        await then('commit', '-q', '--allow-empty', '-m', `on ${branch}\nsecond line\n\nbody`)
        await then('commit', '-q', '--allow-empty', '-m', '  blanks around  ')
        await git('checkout', '-q', 'main')
        await git('merge', '-q', '--no-ff', '-m', `merge ${branch}`, branch)
      }
      await git('gc', '-q')
    },
    'on no branch': async () => {
      await begin()
      await git('checkout', '-q', '--detach')
      await explorer.put('a.txt', 'changed\n')
    },
    'with a submodule and a repository in it': async () => {
      const other = join(explorer.dir, 'other')
      await mkdir(other)
      await gitIn(other)('init', '-q')
      await gitIn(other)('commit', '-q', '--allow-empty', '-m', 'x')
      await begin()
      await git('submodule', '--quiet', 'add', other, 'sub/module')
      await git('commit', '-qm', 'module')
      await gitIn(at('sub/module'))('commit', '-q', '--allow-empty', '-m', 'y')
      await mkdir(at('nested'))
      await gitIn(at('nested'))('init', '-q')
      await explorer.put('nested/file', 'x')
      await gitIn(at('nested'))('add', '-A')
      await gitIn(at('nested'))('commit', '-qm', 'x')
    },
    'with an index of version 4': async () => {
      await begin({ 'a/one': 'x\n', 'a/two': 'x\n', b: 'x\n' })
      await git('update-index', '--index-version', '4')
      await explorer.put('a/two', 'y\n')
      await explorer.put('intended', 'x\n')
      await git('add', '-N', 'intended')
    },
    'with bits in its index': async () => {
      await begin({ assumed: 'x\n', skipped: 'x\n', other: 'x\n' })
      await git('update-index', '--assume-unchanged', 'assumed')
      await git('update-index', '--skip-worktree', 'skipped')
      for (const name of ['assumed', 'skipped', 'other']) await explorer.put(name, 'y\n')
    },
    'that takes no notice of modes': async () => {
      await begin({ run: 'x\n' })
      await git('config', 'core.fileMode', 'false')
      await chmod(at('run'), 0o755)
    },
    'packed, with a shallow history': async () => {
      await begin()
      await git('commit', '-q', '--allow-empty', '-m', 'second')
      await git(
        'clone',
        '-q',
        '--depth=1',
        `file://${explorer.root}`,
        join(explorer.dir, 'shallow'),
      )
      await rm(explorer.root, { recursive: true })
      await gitIn(explorer.dir)(
        'clone',
        '-q',
        '--depth=1',
        `file://${join(explorer.dir, 'shallow')}`,
        explorer.root,
      )
      await explorer.put('a.txt', 'changed\n')
    },
  } satisfies Record<string, () => Promise<unknown>>
}
