import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Plugin } from 'esbuild'
import { platform, root } from './paths.ts'

/**
 * Bundles sst.config.ts with the components, the way the CLI does before it hands the program to Pulumi: the globals
 * of project files become imports, and packages stay outside, to be found from the platform's folder. So `into` has
 * to be below that folder, or there would be two copies of Pulumi.
 */
export async function bundleProgram(into: string): Promise<void> {
  await access(join(platform, 'config.d.ts')).catch(() => {
    throw new Error('the SST platform is not there: run `sst install` first')
  })
  await build({
    stdin: {
      contents: [
        `export { default as config } from ${JSON.stringify(join(root, 'sst.config.ts'))}`,
        `export { run } from ${JSON.stringify(join(platform, 'src/auto/run.ts'))}`,
      ].join('\n'),
      resolveDir: platform,
      loader: 'ts',
    },
    outfile: into,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'silent',
    packages: 'external',
    inject: [join(platform, 'src/shim/run.js')],
    // What the CLI writes as constants comes from the process that runs the program.
    define: { $app: 'globalThis.$app', $cli: 'globalThis.$cli', $dev: 'false' },
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;",
    },
    plugins: [projectGlobals],
  })
}

const globals = `import * as aws from '@pulumi/aws';import * as sst from ${JSON.stringify(join(platform, 'src/components/index.ts'))};`

/** Gives the project's own files `aws` and `sst`, which they use without importing. */
const projectGlobals: Plugin = {
  name: 'project-globals',
  setup(build) {
    const own = /[\\/](?:sst\.config|stacks[\\/][\w-]+)\.ts$/
    build.onLoad({ filter: own }, async ({ path }) =>
      path.startsWith(platform)
        ? undefined
        : { contents: globals + (await readFile(path, 'utf8')), loader: 'ts' },
    )
  },
}
