import { readSettings } from '../gateway/settings.ts'
import { replaceFile } from '../gateway/workspace/files.ts'
import { openclawFiles } from './config.ts'

const stateDir = process.env['OPENCLAW_STATE_DIR']
if (stateDir === undefined || stateDir === '') {
  throw new Error('OPENCLAW_STATE_DIR is required')
}
const files = openclawFiles(readSettings(process.env), stateDir)
await Promise.all([...files].map(([path, text]) => replaceFile(path, text)))
