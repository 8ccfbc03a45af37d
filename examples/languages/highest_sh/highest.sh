# Plays the highest legal move, whatever the game. One line comes in, one line goes out. No other program is started.

while IFS= read -r line; do
    case $line in
    '{"hello"'*)
        echo '{"protocol": 1}'
        continue
        ;;
    esac
    moves=
    rest=$line
    while [ "$rest" != "${rest#*'"legal":['}" ]; do
        rest=${rest#*'"legal":['}         # what comes after the next list's bracket
        legal=${rest%%]*}                 # the list itself: 3,5,8
        moves=$moves${moves:+,}${legal##*,}
    done
    echo "[$moves]"
done
