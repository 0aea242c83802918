import { render } from 'preact'
import { startTheme } from '../../base/theme.ts'
import { App } from './app.tsx'
import { startKeys } from './keys.ts'
import { startPlace } from './place.ts'
import { loadSession } from './session.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('the page has no element #app')

startTheme()
render(<App />, root)
startPlace()
startKeys()
void loadSession()
