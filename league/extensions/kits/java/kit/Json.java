import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON: objects as maps, arrays as lists, whole numbers as Long, others as Double. Plain loops start soonest. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object read(String text) {
        return new Json(text).value();
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return value == null ? List.of() : (List<Object>) value;
    }

    static int integer(Object value) {
        return ((Number) value).intValue();
    }

    static int[] integers(Object value) {
        List<Object> items = list(value);
        int[] integers = new int[items.size()];
        for (int index = 0; index < integers.length; index++) {
            integers[index] = integer(items.get(index));
        }
        return integers;
    }

    static int[][] rows(Object value) {
        List<Object> items = list(value);
        int[][] rows = new int[items.size()][];
        for (int index = 0; index < rows.length; index++) {
            rows[index] = integers(items.get(index));
        }
        return rows;
    }

    static String quoted(String words) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char letter : words.toCharArray()) {
            if (letter == '"' || letter == '\\') {
                quoted.append('\\').append(letter);
            } else {
                quoted.append(letter < ' ' ? ' ' : letter);
            }
        }
        return quoted.append('"').toString();
    }

    private Object value() {
        switch (next()) {
            case '{':
                return members();
            case '[':
                return items();
            case '"':
                return string();
            case 't':
                return word("true", true);
            case 'f':
                return word("false", false);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        at++;
        while (next() != '}') {
            next();
            String name = string();
            expect(':');
            members.put(name, value());
            if (next() == ',') {
                at++;
            }
        }
        at++;
        return members;
    }

    private List<Object> items() {
        List<Object> items = new ArrayList<>();
        at++;
        while (next() != ']') {
            items.add(value());
            if (next() == ',') {
                at++;
            }
        }
        at++;
        return items;
    }

    private String string() {
        expect('"');
        StringBuilder string = new StringBuilder();
        for (; text.charAt(at) != '"'; at++) {
            char letter = text.charAt(at);
            string.append(letter == '\\' ? escaped() : letter);
        }
        at++;
        return string.toString();
    }

    private char escaped() {
        char letter = text.charAt(++at);
        if (letter == 'u') {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
        }
        int control = "bfnrt".indexOf(letter);
        return control < 0 ? letter : "\b\f\n\r\t".charAt(control);
    }

    private Object number() {
        int start = at;
        boolean isWhole = true;
        while (at < text.length() && "+-0123456789.eE".indexOf(text.charAt(at)) >= 0) {
            isWhole &= ".eE".indexOf(text.charAt(at)) < 0;
            at++;
        }
        String digits = text.substring(start, at);
        if (isWhole) {
            return Long.parseLong(digits);
        }
        return Double.parseDouble(digits);
    }

    private Object word(String word, Object meaning) {
        if (!text.startsWith(word, at)) {
            throw new IllegalArgumentException("Expected " + word + " at character " + at + " of " + text);
        }
        at += word.length();
        return meaning;
    }

    private void expect(char wanted) {
        if (next() != wanted) {
            throw new IllegalArgumentException("Expected " + wanted + " at character " + at + " of " + text);
        }
        at++;
    }

    /** The next character that is no space; it is not taken yet. */
    private char next() {
        while (text.charAt(at) == ' ') {
            at++;
        }
        return text.charAt(at);
    }
}
