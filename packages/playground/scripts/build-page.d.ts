/** The page as one HTML file. */
export declare function playgroundHtml(): Promise<string>
