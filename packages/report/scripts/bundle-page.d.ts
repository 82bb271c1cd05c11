/** The text of src/page-script.ts as it should be. */
export declare function pageScriptSource(): Promise<string>

/** The text of src/compat/script.ts as it should be. */
export declare function compatScriptSource(): Promise<string>
