import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { surfaces } from '../../shared/manifest/index.ts'

const root = join(import.meta.dirname, '../..')
/** Inside the repository, so that generated code can import zod. */
const made = join(root, 'dist/openapi')
const here = (file: string) => join(import.meta.dirname, file)
const documentOf = (surface: string) => join(root, 'docs/api', `${surface}.json`)
const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', DO_NOT_TRACK: '1', NO_COLOR: '1' }

/**
 * Runs a program of a package.
 * @returns its output if it fails, otherwise an empty text
 */
async function failureOf(program: string, args: readonly string[]): Promise<string> {
  const options = { env: environment, maxBuffer: 16 * 1024 * 1024 }
  return promisify(execFile)(process.execPath, [program, ...args], options).then(
    () => '',
    ({ message, stdout }: Error & { stdout: string }) => `${message}\n${stdout}`,
  )
}

const tool = (name: string) => here(`node_modules/.bin/${name}`)

const linters = {
  redocly: (document: string) =>
    failureOf(tool('redocly'), ['lint', document, `--config=${here('redocly.yaml')}`]),
  spectral: (document: string) =>
    failureOf(tool('spectral'), ['lint', document, '-r', here('spectral.yaml'), '-F', 'warn']),
}

/** Each generates a client into a folder. */
const generators = {
  'openapi-typescript': (document: string, to: string) =>
    failureOf(tool('openapi-typescript'), [document, '-o', join(to, 'types.ts')]),
  'hey-api': (document: string, to: string) => {
    const plugins = ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk', 'zod']
    return failureOf(tool('openapi-ts'), ['-i', document, '-o', to, '-p', ...plugins])
  },
  orval: (document: string, to: string) =>
    failureOf(tool('orval'), [
      '--input',
      document,
      '--output',
      join(to, 'api.ts'),
      '--client',
      'fetch',
    ]),
  'orval-zod': (document: string, to: string) =>
    failureOf(tool('orval'), [
      '--input',
      document,
      '--output',
      join(to, 'api.ts'),
      '--client',
      'zod',
    ]),
}

/** Every pair of a tool's name and a surface. */
const pairs = (tools: object) =>
  Object.keys(tools).flatMap((name) => surfaces.map((surface) => [name, surface] as const))

beforeAll(async () => {
  await rm(made, { recursive: true, force: true })
  await mkdir(made, { recursive: true })
})

test.concurrent.each(pairs(linters))('%s reports nothing about %s', async (name, surface) => {
  expect(await linters[name as keyof typeof linters](documentOf(surface))).toBe('')
})

test.concurrent.each(pairs(generators))('%s generates a client of %s', async (name, surface) => {
  const to = join(made, name, surface)
  await mkdir(to, { recursive: true })
  expect(await generators[name as keyof typeof generators](documentOf(surface), to)).toBe('')
})

test('the clients compile under strict', async () => {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
  }
  const files = pairs(generators).map(([name, surface]) => `${name}/${surface}/**/*.ts`)
  await writeFile(join(made, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: files }))
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc')
  expect(await failureOf(compiler, ['-p', made])).toBe('')
})

test.each(surfaces)('the schemas for zod of %s load', async (surface) => {
  for (const file of [`orval-zod/${surface}/api.ts`, `hey-api/${surface}/zod.gen.ts`]) {
    const schemas = (await import(join(made, file))) as object
    expect(Object.keys(schemas)).not.toEqual([])
  }
})
